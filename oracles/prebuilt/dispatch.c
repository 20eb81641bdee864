/* Kernels that were built for some types of arguments, and fall back on a compiler for any other.

   Built kernels trust the types of their arguments, so these are described for each call and compared with
   those that a kernel was built for. Descriptions are short texts:

       i8 f4 b1      a number: its kind and its bytes
       f42C          an array: its numbers, dimensions and layout (C, F, or A for any other), R if read-only
       -             None
       (i8f4)        a tuple
       Edge(i8i8)    a named tuple

   `treewhile.incremental.building.argument_types` reads and writes the same texts. */

#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <string.h>

enum { LONGEST = 4096, DEEPEST = 16 };

typedef struct {
    char text[LONGEST];
    Py_ssize_t size;
} Description;

typedef struct {
    PyObject_HEAD
    PyObject *variants; /* a tuple of pairs: a description and a function */
    PyObject *fallback;
} Kernel;

static int put(Description *to, const char *text, Py_ssize_t size)
{
    if (to->size + size > LONGEST)
        return 0;
    memcpy(to->text + to->size, text, size);
    to->size += size;
    return 1;
}

static int put_type(Description *to, PyArray_Descr *type)
{
    const npy_intp size = PyDataType_ELSIZE(type);
    const char text[2] = {type->kind, (char)('0' + size)};
    if (!strchr("biuf", type->kind) || size > 8 || !PyArray_ISNBO(type->byteorder))
        return 0;
    return put(to, text, 2);
}

static int put_array(Description *to, PyArrayObject *array)
{
    const char layout = PyArray_IS_C_CONTIGUOUS(array) ? 'C' : PyArray_IS_F_CONTIGUOUS(array) ? 'F' : 'A';
    const char text[3] = {(char)('0' + PyArray_NDIM(array)), layout, 'R'};
    if (PyArray_NDIM(array) > 9 || !PyArray_ISALIGNED(array) || !put_type(to, PyArray_DESCR(array)))
        return 0;
    return put(to, text, PyArray_ISWRITEABLE(array) ? 2 : 3);
}

static int put_integer(Description *to, PyObject *number)
{
    int is_too_large;
    PyLong_AsLongLongAndOverflow(number, &is_too_large);
    return !is_too_large && put(to, "i8", 2);
}

static int put_scalar(Description *to, PyObject *number)
{
    PyArray_Descr *type = PyArray_DescrFromScalar(number);
    const int is_put = type && put_type(to, type);
    Py_XDECREF(type);
    PyErr_Clear();
    return is_put;
}

static int put_value(Description *to, PyObject *value, int depth);

static int put_tuple(Description *to, PyObject *tuple, int depth)
{
    const char *name = Py_TYPE(tuple)->tp_name;
    if (!PyTuple_CheckExact(tuple) && !put(to, name, (Py_ssize_t)strlen(name)))
        return 0;
    if (depth > DEEPEST || !put(to, "(", 1))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++)
        if (!put_value(to, PyTuple_GET_ITEM(tuple, i), depth + 1))
            return 0;
    return put(to, ")", 1);
}

static int put_value(Description *to, PyObject *value, int depth)
{
    if (PyArray_CheckExact(value))
        return put_array(to, (PyArrayObject *)value);
    if (PyTuple_Check(value))
        return put_tuple(to, value, depth);
    if (PyBool_Check(value))
        return put(to, "b1", 2);
    if (PyLong_CheckExact(value))
        return put_integer(to, value);
    if (PyFloat_CheckExact(value))
        return put(to, "f8", 2);
    if (value == Py_None)
        return put(to, "-", 1);
    return PyArray_IsScalar(value, Generic) && put_scalar(to, value);
}

static PyObject *variant_for(Kernel *self, PyObject *arguments)
{
    Description found;
    found.size = 0;
    if (!put_tuple(&found, arguments, 0))
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self->variants); i++) {
        PyObject *variant = PyTuple_GET_ITEM(self->variants, i), *types = PyTuple_GET_ITEM(variant, 0);
        if (PyBytes_GET_SIZE(types) == found.size && !memcmp(PyBytes_AS_STRING(types), found.text, found.size))
            return PyTuple_GET_ITEM(variant, 1);
    }
    return NULL;
}

static PyObject *call(Kernel *self, PyObject *arguments, PyObject *named)
{
    PyObject *variant = named && PyDict_GET_SIZE(named) ? NULL : variant_for(self, arguments);
    return PyObject_Call(variant ? variant : self->fallback, arguments, variant ? NULL : named);
}

static int init(Kernel *self, PyObject *arguments, PyObject *named)
{
    PyObject *variants, *fallback;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyTuple_Type, &variants, &fallback))
        return -1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(variants); i++) {
        PyObject *types, *function;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(variants, i), "SO", &types, &function))
            return -1;
    }
    Py_XSETREF(self->variants, Py_NewRef(variants));
    Py_XSETREF(self->fallback, Py_NewRef(fallback));
    return 0;
}

static int traverse(Kernel *self, visitproc visit, void *arg)
{
    Py_VISIT(self->variants);
    Py_VISIT(self->fallback);
    return 0;
}

static int clear(Kernel *self)
{
    Py_CLEAR(self->variants);
    Py_CLEAR(self->fallback);
    return 0;
}

static void release(Kernel *self)
{
    PyObject_GC_UnTrack(self);
    clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *types_of(PyObject *module, PyObject *arguments)
{
    Description found;
    found.size = 0;
    if (!put_tuple(&found, arguments, 0))
        Py_RETURN_NONE;
    return PyBytes_FromStringAndSize(found.text, found.size);
}

static PyTypeObject KernelType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "dispatch.Kernel",
    .tp_doc = "Kernel((types, function), ..., fallback): calls the function built for the types it is given.",
    .tp_basicsize = sizeof(Kernel),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)init,
    .tp_call = (ternaryfunc)call,
    .tp_traverse = (traverseproc)traverse,
    .tp_clear = (inquiry)clear,
    .tp_dealloc = (destructor)release,
};

static PyMethodDef methods[] = {
    {"types_of", types_of, METH_VARARGS, "Return the description of some arguments; None if there is none."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "dispatch", NULL, -1, methods};

PyMODINIT_FUNC PyInit_dispatch(void)
{
    PyObject *module;
    import_array();
    if (PyType_Ready(&KernelType) < 0 || !(module = PyModule_Create(&definition)))
        return NULL;
    if (PyModule_AddObjectRef(module, "Kernel", (PyObject *)&KernelType) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
