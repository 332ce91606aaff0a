"""`cortex eval`: how well the platform finds and answers. What measures is in `eval/`, which these commands call."""

import typer

from cortex.cli.eval import answers, calibrate, context, propose, retrieval

app = typer.Typer(name="eval", help="How well the platform finds and answers.", no_args_is_help=True)
app.command("retrieval")(retrieval.retrieval)
app.command("answers")(answers.answers)
app.command("calibrate")(calibrate.calibrate)
app.command("context")(context.context)
app.command("propose")(propose.propose)
