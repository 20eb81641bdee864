"""Kernels as an extension module: objects by numba, linked by a C compiler with what numba's code rests on.

All that rests on `numba.pycc`, which is announced to go: it writes the code that takes arguments out of
Python's objects, and its C sources are what compiled code calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from llvmlite.binding import Linkage
from numba import pycc
from numba.core.codegen import AOTCPUCodegen
from numba.core.compiler import Flags, compile_extra
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.runtime import nrtdynmod
from numba.core.typing.templates import signature
from numba.pycc.compiler import ExportEntry, ModuleCompiler

from treewhile.incremental.building.c_compiler import run_compiler
from treewhile.oracles.prebuilt.library import KERNELS

PYCC: Final = Path(pycc.__file__).parent
SUPPORT: Final = (PYCC / "modulemixin.c", PYCC.parent / "core" / "runtime" / "nrt.cpp")
DEFINES: Final = (f"-DPYCC_MODULE_NAME={KERNELS}", "-DPYCC_USE_NRT=1")


class Export(NamedTuple):
    """A kernel to build for some types of arguments, and the name of its function in the module."""

    kernel: Any
    types: Sequence[Any]
    function: str


class _Codegen(AOTCPUCodegen):
    """Code for this machine's processor, or for the one that numba's settings name, with all its features."""

    def _customize_tm_features(self) -> str:
        features: str = self._get_host_cpu_features()
        return features


class _Compiler(ModuleCompiler):
    """pycc's compiler, with the options that each kernel has."""

    def __init__(self, exports: Sequence[Export]) -> None:
        entries = [_entry(export) for export in exports]
        super().__init__(entries, KERNELS, use_nrt=True, cpu_name="host")
        self.context = self.context.subtarget(_internal_codegen=_Codegen(KERNELS, "host"), aot_mode=True)
        self.external_init_function = f"pycc_init_{KERNELS}"
        self.export_python_wrap = True
        self.exported_function_types: dict[Any, Any] = {}
        self.function_environments: dict[Any, Any] = {}
        self.environment_gvs: dict[Any, str] = {}
        self.extra_environments: dict[str, Any] = {}

    @global_compiler_lock
    def _cull_exports(self) -> Any:
        library = self.context.codegen().create_library(KERNELS)
        library.add_ir_module(nrtdynmod.create_nrt_module(self.context)[0])
        for entry in self.export_entries:
            self._add(entry, library)
        wrapper = library.create_ir_module("wrapper")
        self._emit_python_wrapper(wrapper)
        library.add_ir_module(wrapper)
        library.finalize()
        self._hide_functions(library)
        return library

    def _add(self, entry: Any, library: Any) -> None:
        compiled = compile_extra(
            self.typing_context,
            self.context,
            entry.function.py_func,
            entry.signature.args,
            entry.signature.return_type,
            _flags(entry.function),
            locals={},
            library=library,
        )
        described = compiled.fndesc
        for function in library._final_module.functions:
            if function.name.startswith("__excinfo_unwrap_args"):
                function.linkage = "linkonce_odr"
        library.get_function(described.llvm_func_name).linkage = "internal"
        wrapper = library.get_function(described.llvm_cpython_wrapper_name)
        wrapper.name, wrapper.linkage = self._mangle_method_symbol(entry.symbol), "external"
        call = compiled.target_context.call_conv
        self.exported_function_types[entry] = call.get_function_type(described.restype, described.argtypes)
        self.function_environments[entry] = compiled.environment
        self.environment_gvs[entry] = described.env_name
        for linked in library._linking_libraries:
            self._note_environments(linked._final_module)

    def _note_environments(self, module: Any) -> None:
        for variable in module.global_variables:
            if variable.name.startswith("_ZN08NumbaEnv"):
                environment = lookup_environment(variable.name)
                if environment is not None and environment.can_cache():
                    self.extra_environments[variable.name] = environment

    def _hide_functions(self, library: Any) -> None:
        for function in library.get_defined_functions():
            if function.name not in self.dll_exports:
                is_inside = function.linkage in {Linkage.private, Linkage.internal}
                function.visibility = "default" if is_inside else "hidden"


def _entry(export: Export) -> Any:
    """Return what pycc takes; numba finds the type of the result."""
    return ExportEntry(export.function, signature(None, *export.types), export.kernel)


def _flags(dispatcher: Any) -> Any:
    flags: Any = Flags()
    dispatcher.targetdescr.options.parse_as_flags(flags, dispatcher.targetoptions)
    flags.no_compile, flags.no_cpython_wrapper, flags.no_cfunc_wrapper = True, False, True
    return flags


def write_object(exports: Sequence[Export], path: Path) -> None:
    """Write the object of a module with these kernels."""
    _Compiler(exports).write_native_object(str(path), wrap=True)


def compile_support(folder: Path) -> list[Path]:
    """Compile what each module needs of numba's own C sources."""
    lapack = int(getattr(import_module("numba._helperlib"), "LAPACK_BUILD_ILP64", 0))
    objects = [folder / f"{source.stem}.o" for source in SUPPORT]
    for source, made in zip(SUPPORT, objects, strict=True):
        run_compiler("-c", str(source), "-o", str(made), *DEFINES, f"-DNUMBA_LAPACK_BUILD_ILP64={lapack}")
    return objects
