"""Nelder and Mead's simplex search (The Computer Journal 7, 1965): no derivatives, no libraries, a handful of unknowns."""


def nelder_mead(f, start, step=0.5, iterations=4000, tolerance=1e-10):
    n = len(start)
    simplex = [list(start)] + [[x + (step if i == j else 0.0) for j, x in enumerate(start)] for i in range(n)]
    values = [f(point) for point in simplex]
    for _ in range(iterations):
        order = sorted(range(n + 1), key=values.__getitem__)
        simplex, values = [simplex[i] for i in order], [values[i] for i in order]
        if values[-1] - values[0] < tolerance:
            break
        centre = [sum(point[j] for point in simplex[:-1]) / n for j in range(n)]

        def along(t):
            point = [c + t * (w - c) for c, w in zip(centre, simplex[-1])]
            return f(point), point
        value, point = along(-1.0)
        if value < values[0]:
            further = along(-2.0)
            value, point = min((value, point), further, key=lambda pair: pair[0])
        elif value >= values[-2]:
            value, point = along(-0.5 if value < values[-1] else 0.5)
            if value >= values[-1]:
                best = simplex[0]
                simplex = [best] + [[(a + b) / 2 for a, b in zip(best, other)] for other in simplex[1:]]
                values = [values[0]] + [f(p) for p in simplex[1:]]
                continue
        simplex[-1], values[-1] = point, value
    best = min(range(n + 1), key=values.__getitem__)
    return simplex[best], values[best]
