"""A real sshd on 127.0.0.1 with keys of its own, and the command that leads through it."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.measure.waiting import until

PROGRAMS = ("sshd", "ssh", "ssh-keygen")
PLACES = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])


def lacking() -> str | None:
    """What is missing for it, in words; None where it can be had."""
    for name in PROGRAMS:
        if shutil.which(name, path=PLACES) is None:
            return f"there is no {name} here (Debian: openssh-server and openssh-client)"
    return None


@contextmanager
def local_sshd(folder: Path) -> Iterator[str]:
    """Serves until the end of the block; gives the ssh command to put in front."""
    folder.mkdir(mode=0o700, parents=True)
    keygen = _program("ssh-keygen")
    for name in ("host", "mine"):
        subprocess.run([keygen, "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    shutil.copy(folder / "mine.pub", folder / "authorized_keys")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (folder / "config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder / 'host'}\nPidFile none\nUsePAM no\n"
        f"AuthorizedKeysFile {folder / 'authorized_keys'}\nStrictModes no\nPasswordAuthentication no\n"
        "PermitRootLogin prohibit-password\n",
        encoding="utf-8",
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # where the system's own sshd keeps its unprivileged part
    with (folder / "log").open("wb") as log:
        command = [_program("sshd"), "-D", "-e", "-f", str(folder / "config")]
        server = subprocess.Popen(command, stderr=log, stdout=log, stdin=subprocess.DEVNULL)
    try:
        until(lambda: _answers(port) or _ended(server, folder))
        known = "-o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no"
        quiet = "-F none -o LogLevel=ERROR -o BatchMode=yes"
        place = f"-i {folder / 'mine'} -p {port} {getpass.getuser()}@127.0.0.1"
        yield f"{_program('ssh')} {quiet} {known} {place}"
    finally:
        server.terminate()
        server.wait()


def _program(name: str) -> str:
    found = shutil.which(name, path=PLACES)
    assert found is not None, name
    return found


def _answers(port: int) -> bool:
    with socket.socket() as client:
        client.settimeout(1)
        return client.connect_ex(("127.0.0.1", port)) == 0


def _ended(server: subprocess.Popen[bytes], folder: Path) -> bool:
    assert server.poll() is None, (folder / "log").read_text(encoding="utf-8", errors="replace")
    return False
