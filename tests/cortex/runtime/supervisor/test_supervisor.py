import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cortex.adapters.processes import identify, is_running, wait_until_gone
from cortex.domain.errors import Invalid, Transient
from cortex.runtime.supervisor import ProcessSpec, ProcessState, RestartPolicy, StepSpec, supervise
from tests.cortex.runtime.supervisor.programs import TIMEOUT_S, FileProbe, Witness, python, sleeper

QUICK = RestartPolicy(first_delay_s=0.01, delay_s_max=0.05, boot_attempts_max=2)
Make = Callable[..., ProcessSpec]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A process that is ready once it runs."""

    def build(name: str, *needs: str, argv: tuple[str, ...] | None = None, grace_s: float = 5.0) -> ProcessSpec:
        flag = tmp_path / f"{name}.flag"
        return ProcessSpec(
            name=name,
            argv=argv or sleeper(flag),
            probe=FileProbe(flag),
            environment={"PATH": os.defpath},
            depends_on=frozenset(needs),
            restart=QUICK,
            stop_grace_s=grace_s,
        )

    return build


def pid_of(witness: Witness, name: str) -> int:
    pid = witness.latest[name].pid
    assert pid is not None
    return pid


async def test_a_process_starts_only_when_what_it_needs_is_ready(make: Make, tmp_path: Path) -> None:
    witness = Witness()
    async with supervise([make("b", "a"), make("a")], logs=tmp_path, observe=witness.observe) as supervisor:
        await supervisor.ready()
    assert witness.position("a", ProcessState.READY) < witness.position("b", ProcessState.STARTING)


async def test_a_step_runs_once_between_processes(make: Make, tmp_path: Path) -> None:
    witness = Witness()
    runs: list[str] = []

    async def run() -> None:
        runs.append("step")

    step = StepSpec(name="step", run=run, depends_on=frozenset({"a"}))
    async with supervise([make("a"), step, make("b", "step")], logs=tmp_path, observe=witness.observe) as supervisor:
        await supervisor.ready()
    assert runs == ["step"]
    assert witness.position("step", ProcessState.DONE) < witness.position("b", ProcessState.STARTING)


async def test_a_step_that_fails_ends_the_start_with_its_error(make: Make, tmp_path: Path) -> None:
    async def run() -> None:
        raise Invalid("the schema is from the future")

    step = StepSpec(name="step", run=run, depends_on=frozenset({"a"}))
    with pytest.raises(Invalid, match="from the future"):
        async with supervise([make("a"), step], logs=tmp_path, observe=Witness().observe) as supervisor:
            await supervisor.ready()


async def test_a_killed_process_comes_back_and_its_dependants_are_left_alone(make: Make, tmp_path: Path) -> None:
    witness = Witness()
    async with supervise([make("a"), make("b", "a")], logs=tmp_path, observe=witness.observe) as supervisor:
        await supervisor.ready()
        first, dependant = pid_of(witness, "a"), pid_of(witness, "b")
        os.kill(first, signal.SIGKILL)
        await witness.until(lambda now: now["a"].restarts == 1 and now["a"].state is ProcessState.READY)
        assert pid_of(witness, "a") != first
        assert pid_of(witness, "b") == dependant
        assert witness.latest["b"].restarts == 0


async def test_stops_in_reverse_order_and_leaves_nothing(make: Make, tmp_path: Path) -> None:
    witness = Witness()
    async with supervise([make("a"), make("b", "a")], logs=tmp_path, observe=witness.observe) as supervisor:
        await supervisor.ready()
        pids = [pid_of(witness, name) for name in ("a", "b")]
    assert witness.position("b", ProcessState.STOPPED) < witness.position("a", ProcessState.STOPPING)
    assert [identify(pid) for pid in pids] == [None, None]


async def test_a_process_that_ignores_the_signal_is_killed_after_its_grace(make: Make, tmp_path: Path) -> None:
    flag = tmp_path / "deaf.flag"
    code = f"import signal, pathlib; signal.signal(15, signal.SIG_IGN); pathlib.Path('{flag}').touch(); signal.pause()"
    witness = Witness()
    deaf = make("deaf", argv=python(code), grace_s=0.1)
    async with supervise([deaf], logs=tmp_path, observe=witness.observe) as supervisor:
        await supervisor.ready()
        pid = pid_of(witness, "deaf")
    assert identify(pid) is None


async def test_grandchildren_go_with_their_process(make: Make, tmp_path: Path) -> None:
    flag, child = tmp_path / "parent.flag", tmp_path / "child"
    parent = ("/bin/sh", "-c", f"sleep 600 & echo $! > '{child}'; touch '{flag}'; wait")
    witness = Witness()
    nodes = [make("parent", argv=parent)]
    async with supervise(nodes, logs=tmp_path, observe=witness.observe) as supervisor:
        await supervisor.ready()
        grandchild = identify(int(child.read_text()))
        assert grandchild is not None
        os.kill(pid_of(witness, "parent"), signal.SIGKILL)
        await witness.until(lambda now: now["parent"].restarts == 1 and now["parent"].state is ProcessState.READY)
        assert not is_running(grandchild)


async def test_a_process_that_never_gets_ready_ends_the_start_with_the_end_of_its_log(
    make: Make, tmp_path: Path
) -> None:
    witness = Witness()
    broken = make("broken", argv=("/bin/sh", "-c", "echo no disk space left; exit 3"))
    with pytest.raises(Transient, match=r"broken does not start: exited with 3\n  no disk space left"):
        async with supervise([make("a"), broken], logs=tmp_path, observe=witness.observe) as supervisor:
            await supervisor.ready()
    assert witness.latest["broken"].restarts == QUICK.boot_attempts_max - 1
    assert witness.latest["a"].pid is None


async def test_a_process_that_hangs_before_it_is_ready_is_given_up(tmp_path: Path) -> None:
    hanging = ProcessSpec(
        name="hanging",
        argv=sleeper(),
        probe=FileProbe(tmp_path / "never"),
        environment={"PATH": os.defpath},
        ready_timeout_s=0.1,
        restart=QUICK,
    )
    with pytest.raises(Transient, match="not ready within"):
        async with supervise([hanging], logs=tmp_path, observe=Witness().observe) as supervisor:
            await supervisor.ready()


async def test_a_missing_program_is_named(make: Make, tmp_path: Path) -> None:
    with pytest.raises(Transient, match="nowhere"):
        async with supervise([make("a", argv=("/nowhere/at/all",))], logs=tmp_path, observe=Witness().observe) as it:
            await it.ready()


async def test_an_error_in_the_block_comes_out_as_it_is(make: Make, tmp_path: Path) -> None:
    witness = Witness()

    async def fail() -> None:
        async with supervise([make("a")], logs=tmp_path, observe=witness.observe) as supervisor:
            await supervisor.ready()
            raise KeyError

    with pytest.raises(KeyError):
        await fail()
    assert witness.latest["a"].state is ProcessState.STOPPED


async def test_cancelled_while_it_starts_it_leaves_nothing(make: Make, tmp_path: Path) -> None:
    witness = Witness()

    async def start() -> None:
        waiting = ProcessSpec(name="w", argv=sleeper(), probe=FileProbe(tmp_path / "never"), restart=QUICK)
        async with supervise([make("a"), waiting, make("c", "w")], logs=tmp_path, observe=witness.observe) as it:
            await it.ready()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(start())
        await witness.until(
            lambda now: "a" in now and now["a"].state is ProcessState.READY and now["w"].pid is not None
        )
        pids = [pid_of(witness, name) for name in ("a", "w")]
        task.cancel()
    assert [identify(pid) for pid in pids] == [None, None]


async def test_a_second_cancellation_does_not_wait_for_any_grace(make: Make, tmp_path: Path) -> None:
    flag = tmp_path / "deaf.flag"
    code = f"import signal, pathlib; signal.signal(15, signal.SIG_IGN); pathlib.Path('{flag}').touch(); signal.pause()"
    witness = Witness()
    deaf = make("deaf", argv=python(code), grace_s=600.0)

    async def serve() -> None:
        async with supervise([deaf], logs=tmp_path, observe=witness.observe) as supervisor:
            await supervisor.ready()
            await asyncio.Event().wait()

    async with asyncio.timeout(TIMEOUT_S), asyncio.TaskGroup() as group:
        task = group.create_task(serve())
        await witness.until(lambda now: "deaf" in now and now["deaf"].state is ProcessState.READY)
        pid = pid_of(witness, "deaf")
        task.cancel()
        await witness.until(lambda now: now["deaf"].state is ProcessState.STOPPING)
        task.cancel()
    assert identify(pid) is None


async def test_output_goes_to_the_log_of_the_process(make: Make, tmp_path: Path) -> None:
    flag = tmp_path / "talker.flag"
    talker = ("/bin/sh", "-c", f"echo to stdout; echo to stderr >&2; touch '{flag}'; exec sleep 600")
    async with supervise([make("talker", argv=talker)], logs=tmp_path, observe=Witness().observe) as supervisor:
        await supervisor.ready()
    assert (tmp_path / "talker.log").read_text().splitlines() == ["to stdout", "to stderr"]
    assert (tmp_path / "talker.log").stat().st_mode & 0o077 == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent died")
async def test_nothing_outlives_a_killed_supervisor(tmp_path: Path) -> None:
    code = f"""
import asyncio, os, pathlib
from cortex.runtime.supervisor import ProcessSpec, supervise
from tests.cortex.runtime.supervisor.programs import FileProbe, sleeper
logs = pathlib.Path({str(tmp_path)!r})
async def main():
    spec = ProcessSpec(name="a", argv=sleeper(logs / "flag"), probe=FileProbe(logs / "flag"))
    async with supervise([spec], logs=logs, observe=lambda statuses: None) as supervisor:
        await supervisor.ready()
        print(supervisor.status()[0].pid, flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""
    process = await asyncio.create_subprocess_exec(*python(code), stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    orphan = identify(int(await process.stdout.readline()))
    assert orphan is not None
    process.kill()
    await process.wait()
    await asyncio.to_thread(wait_until_gone, orphan, timeout_s=TIMEOUT_S)
    assert not is_running(orphan)
