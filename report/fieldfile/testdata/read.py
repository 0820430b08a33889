"""Reads field files with NumPy and with VTK's own reader, and prints what they hold as JSON for the test to compare."""
import json
import sys

import numpy


def from_npz(path):
    with numpy.load(path) as f:
        out = {name: f[name].astype(float).ravel().tolist() for name in f.files if f[name].dtype.kind in "fi"}
        out["shape"] = list(f["temperature_K"].shape)
        out["dtype"] = str(f["temperature_K"].dtype)
        out["layer_names"] = f["layer_names"].tolist()
        return out


def from_raw(path):
    header = json.load(open(path))
    folder = path.rsplit("/", 1)[0]
    values = numpy.fromfile(folder + "/" + header["file"], dtype=header["dtype"]).reshape(header["shape"])
    return {"temperature_K": values.astype(float).ravel().tolist(), "shape": list(values.shape), "x_m": header["x_m"], "z_faces_m": header["z_faces_m"]}


def from_vtr(path):
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLRectilinearGridReader

    reader = vtkXMLRectilinearGridReader()
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    cells = grid.GetCellData()
    out = {"shape": list(grid.GetDimensions()), "dtype": cells.GetArray("temperature_K").GetDataTypeAsString()}
    out["temperature_K"] = vtk_to_numpy(cells.GetArray("temperature_K")).astype(float).tolist()
    out["layer"] = vtk_to_numpy(cells.GetArray("layer")).astype(float).tolist()
    for name, array in (("x_faces_m", grid.GetXCoordinates()), ("y_faces_m", grid.GetYCoordinates()), ("z_faces_m", grid.GetZCoordinates())):
        out[name] = vtk_to_numpy(array).tolist()
    time = grid.GetFieldData().GetArray("TimeValue")
    if time is not None:
        out["time_s"] = [time.GetValue(0)]
    return out


def from_csv(path):
    rows = numpy.genfromtxt(path, delimiter=",", names=True, dtype=None, encoding="utf-8")
    return {name: rows[name].tolist() for name in ("x_m", "y_m", "z_m", "temperature_K")} | {"layer_names": rows["layer"].tolist()}


def from_matrix(path):
    rows = numpy.genfromtxt(path, delimiter=",", comments="#", skip_header=2)
    return {"temperature_K": rows[:, 1:].ravel().tolist(), "y_m": rows[:, 0].tolist()}


readers = {"npz": from_npz, "json": from_raw, "vtr": from_vtr, "csv": from_csv, "matrix": from_matrix}
json.dump([readers[path.rsplit(".", 1)[1]](path) for path in sys.argv[1:]], sys.stdout)
