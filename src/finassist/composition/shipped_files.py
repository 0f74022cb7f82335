"""For the process that workers are forked from: loading what ships."""

from finassist.adapters.data_files.sharing import load_shipped

__all__ = ["load_shipped"]
