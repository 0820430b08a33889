"""Finite elements for stack.toml: trilinear hexahedra, written without use of thermsim.

"python3 layered.py > rises.csv" writes rises in K above ambient: means over boxes, and the maximum over all nodes, on
four grids, with the observed order of the last three and their extrapolation, or the finest value where the order is
below 1/2. Needs numpy, scipy, 4 GB and minutes.
"""
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as la

SI, CU, MOLD, TIM, BOND = (120,) * 3, (390,) * 3, (0.9,) * 3, (4,) * 3, (4, 4, 1.5)
VIAS = [(x, x + 0.125, y, y + 0.125, CU) for x in (0.625, 0.875, 1.125) for y in (0.625, 0.875)]
# Thickness in um, elements, k along x, y and z, and regions x0, x1, y0, y1 in mm with their k.
LAYERS = [
    (20, 1, SI, []),
    (80, 2, SI, []),
    (20, 2, BOND, VIAS),
    (60, 2, MOLD, [(0.25, 1.75, 0.25, 1.25, SI)] + VIAS),
    (40, 2, TIM, []),
    (200, 2, CU, []),
]
POWERS = [(0.5, 1.25, 0.5, 1.0, 4.0), (1.25, 1.75, 0.75, 1.25, 1.0)]  # in the lowest layer, W
H_TOP, H_BOTTOM = 2e4, 500.0
BOXES = {  # x0, x1, y0, y1 in mm, and layer
    "maximum": (0, 2.0, 0, 1.5, 0),
    "core": (0.5, 1.25, 0.5, 1.0, 0),
    "cache": (1.25, 1.75, 0.75, 1.25, 0),
    "via": (0.875, 1.0, 0.625, 0.75, 3),
    "bond between vias": (0.75, 0.875, 0.625, 0.75, 2),
    "mold": (1.75, 2.0, 1.25, 1.5, 3),
    "tim over core": (0.75, 1.0, 0.625, 0.875, 4),
}


def solve(n):
    """All elements of the coarsest grid are divided by n along each axis."""
    x, y = np.linspace(0, 2e-3, 16 * n + 1), np.linspace(0, 1.5e-3, 12 * n + 1)
    dz = np.concatenate([np.full(e * n, t * 1e-6 / (e * n)) for t, e, _, _ in LAYERS])
    layer = np.concatenate([np.full(e * n, i) for i, (_, e, _, _) in enumerate(LAYERS)])
    nx, ny, nz = len(x) - 1, len(y) - 1, len(dz)
    dx, dy = x[1], y[1]
    xc, yc = np.meshgrid((x[1:] + x[:-1]) * 500, (y[1:] + y[:-1]) * 500, indexing="ij")  # mm

    def inside(b):
        return (xc > b[0]) & (xc < b[1]) & (yc > b[2]) & (yc < b[3])

    k = np.zeros((3, nx, ny, nz))
    for i, (_, _, base, regions) in enumerate(LAYERS):
        for axis in range(3):
            plane = np.full((nx, ny), float(base[axis]))
            for r in regions:
                plane[inside(r)] = r[4][axis]
            k[axis][:, :, layer == i] = plane[:, :, None]
    # Nodes of all elements: corner c has the offsets c & 1, c >> 1 & 1, c >> 2.
    index = np.arange((nx + 1) * (ny + 1) * (nz + 1), dtype=np.int32).reshape(nx + 1, ny + 1, nz + 1)
    corner = [index[a : a + nx, b : b + ny, d : d + nz] for d in (0, 1) for b in (0, 1) for a in (0, 1)]
    nodes = np.stack(corner).reshape(8, -1)
    stiff, mass = np.array([[1, -1], [-1, 1.0]]), np.array([[2, 1], [1, 2.0]]) / 6
    along_z = np.kron(stiff, np.kron(mass, mass))
    local = [np.kron(mass, np.kron(mass, stiff)), np.kron(mass, np.kron(stiff, mass)), along_z]
    height = np.broadcast_to(dz, (nx, ny, nz))
    scale = np.stack([k[0] * dy * height / dx, k[1] * dx * height / dy, k[2] * dx * dy / height]).reshape(3, -1)
    entries = sum(m[:, :, None] * s for m, s in zip(local, scale))
    rows = np.broadcast_to(nodes[:, None, :], entries.shape)
    cols = np.broadcast_to(nodes[None, :, :], entries.shape)
    data, i, j = [entries.ravel()], [rows.ravel()], [cols.ravel()]
    for h, k0, first in ((H_BOTTOM, 0, 0), (H_TOP, nz - 1, 4)):
        face = np.stack([c[:, :, k0] for c in corner[first : first + 4]]).reshape(4, -1)
        films = h * dx * dy * np.kron(mass, mass)[:, :, None] * np.ones(face.shape[1])
        data.append(films.ravel())
        i.append(np.broadcast_to(face[:, None, :], films.shape).ravel())
        j.append(np.broadcast_to(face[None, :, :], films.shape).ravel())
    position = (np.concatenate(i), np.concatenate(j))
    matrix = sp.csr_matrix((np.concatenate(data), position), shape=(index.size,) * 2)
    watts = np.zeros((nx, ny, nz))
    for p in POWERS:
        mask = inside(p)[:, :, None] & (layer == 0)
        watts[mask] += p[4] / mask.sum()
    load = np.zeros(index.size)
    np.add.at(load, nodes, np.broadcast_to(watts.ravel() / 8, nodes.shape))
    jacobi = sp.diags(1 / matrix.diagonal())
    rise, status = la.cg(matrix, load, tol=1e-9, maxiter=20000, M=jacobi)
    assert status == 0
    element = rise[nodes].mean(axis=0).reshape(nx, ny, nz)
    rises = {}
    for name, b in BOXES.items():
        rises[name] = element[inside(b)[:, :, None] & (layer == b[4])].mean()
    rises["maximum"] = rise.max()
    return rises


if __name__ == "__main__":
    results = [solve(n) for n in (1, 2, 4, 8)]
    print("name,x0,x1,y0,y1,layer,n=1,n=2,n=4,n=8,order,extrapolated")
    for name, box in BOXES.items():
        v = [r[name] for r in results]
        ratio = (v[2] - v[1]) / (v[3] - v[2])
        exact = v[3] + (v[3] - v[2]) / (ratio - 1) if ratio > 2**0.5 else v[3]
        numbers = [f"{t:.4f}" for t in v] + [f"{np.log2(ratio):.2f}", f"{exact:.4f}"]
        print(name, *box, *numbers, sep=",")
