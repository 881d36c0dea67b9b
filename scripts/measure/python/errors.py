"""The two kinds of error an adaptor reports and ends with; everything else is a defect and shows its traceback."""


class UsageError(Exception):
    """The command line is wrong."""
    exit_code = 1


class InputError(Exception):
    """A file, a shape, a setting or the host does not allow what was asked. The text says where, what was found and what to do."""
    exit_code = 2
