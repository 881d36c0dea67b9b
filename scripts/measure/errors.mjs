// What went wrong decides the exit code; main turns both kinds into one line on stderr.

/** The command line is wrong: exit code 1. */
export class UsageError extends Error {
  exitCode = 1;
}

/** A file or a model does not allow what is asked: exit code 2. */
export class InputError extends Error {
  exitCode = 2;
}
