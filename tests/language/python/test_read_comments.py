"""Comments and docstrings stay with their statement, through the reader and the writer."""

from __future__ import annotations

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write

SOURCE = '''import warp as wp

# Nobody's comment.


@wp.func
def half(x: float):  # beside the head
    """Half of it.

    With "quotes" and a \\\\ in it.
    """
    # before the return
    return 0.5 * x


# not the kernel's
@wp.kernel
def k(
    a: wp.array(dtype=float),  # an argument
    o: wp.array(dtype=float),
):
    """What it does."""
    # first
    #
    # third
    i = wp.tid()  # the thread

    # above the choice
    if i > 2:  # opens
        # inside
        o[i] = 1.0
        # below the last
    # above the elif
    elif i > 1:  # second arm
        pass
    else:  # otherwise
        o[i] = half(
            a[i],  # an operand
        )  # behind it
    for j in range(3):
        # in the loop
        o[j] += 1.0  # adds
    #no blank
    return
    # the end
'''


def test_comments_stay_with_their_statements() -> None:
    program = read(SOURCE)
    assert program.docstring == "What it does."
    half = program.functions[0]
    assert half.docstring == 'Half of it.\n\nWith "quotes" and a \\ in it.'
    assert half.body[:2] == (ir.Comment("beside the head", beside=True), ir.Comment("before the return"))
    body = program.body
    assert body[0] == ir.Comment("first\n\nthird") and isinstance(body[1], ir.ThreadIndex)
    assert body[2] == ir.Comment("the thread", beside=True) and body[3] == ir.Comment("above the choice")
    choice = body[4]
    assert isinstance(choice, ir.If)
    assert choice.then[0] == ir.Comment("opens", beside=True) and choice.then[1] == ir.Comment("inside")
    assert choice.then[3:] == (ir.Comment("below the last"), ir.Comment("above the elif"))
    second = choice.orelse[0]
    assert isinstance(second, ir.If) and second.then == (ir.Comment("second arm", beside=True), ir.Pass())
    assert second.orelse[0] == ir.Comment("otherwise", beside=True)
    assert second.orelse[1] == ir.Comment("an operand") and second.orelse[3] == ir.Comment(
        "behind it", beside=True
    )
    loop = body[5]
    assert isinstance(loop, ir.For) and loop.body[0] == ir.Comment("in the loop")
    assert loop.body[2] == ir.Comment("adds", beside=True)
    assert body[6] == ir.Comment("no blank") and body[8] == ir.Comment("the end")


def test_comments_are_written_back() -> None:
    program = read(SOURCE)
    text = write(program)
    again = read(text, program.signature)
    assert again.functions == program.functions and again.docstring == program.docstring
    assert write(again) == text
    for words in ("# the thread", "# opens", "# otherwise", "# adds", "# the end", "# an operand"):
        assert words in text
    assert "Nobody" not in text and "# an argument" not in text


def test_docstrings_of_every_kind() -> None:
    for docstring in ("One.", "Two\nlines.", 'ends with "', 'has """ in it', "back\\slash", "  ", ""):
        program = read(SOURCE)
        changed = ir.Program(program.signature, program.body, program.functions, docstring=docstring)
        assert read(write(changed), changed.signature).docstring == docstring.strip()


def test_what_looks_like_a_comment_is_none() -> None:
    program = read('import warp as wp\n@wp.kernel\ndef k(n: int):\n    wp.printf("# %d\\n", n)\n')
    assert program.body == (ir.Print("# %d\n", (ir.Name("n", ir.INT),)),)
