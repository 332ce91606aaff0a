"""Which folders a `files` source may read: whoever adds one reads with the rights of this process."""

from dataclasses import dataclass
from pathlib import Path

from cortex.domain.errors import Invalid


@dataclass(frozen=True, slots=True)
class Reach:
    """`private`: folders that hold every tenant's texts and the platform's keys. `roots` None: any other folder."""

    private: tuple[Path, ...] = ()
    roots: tuple[Path, ...] | None = None

    def resolved(self, path: Path) -> Path:
        """Where the folder really is, behind links; raises Invalid where it may not be read."""
        real = path.resolve()
        for private in (folder.resolve() for folder in self.private):
            if real.is_relative_to(private) or private.is_relative_to(real):
                raise Invalid(f"{path} holds data of the platform itself, or lies in it", place="config.path")
        if self.roots is not None and not any(real.is_relative_to(root.resolve()) for root in self.roots):
            allowed = ", ".join(map(str, self.roots)) or "none"
            raise Invalid(
                f"{path} lies in no folder that CORTEX_FILES_ROOTS allows to sources ({allowed})", place="config.path"
            )
        return real
