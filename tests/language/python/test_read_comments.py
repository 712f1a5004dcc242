"""Comments and docstrings stay with their statement, through the reader and the writer."""

from __future__ import annotations

from warp_ir_dataset.language import program as p
from warp_ir_dataset.language.program import Comment
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
    assert half.body[:2] == (Comment("beside the head", beside=True), Comment("before the return"))
    body = program.body
    assert body[0] == Comment("first\n\nthird") and isinstance(body[1], p.ThreadIndex)
    assert body[2] == Comment("the thread", beside=True) and body[3] == Comment("above the choice")
    choice = body[4]
    assert isinstance(choice, p.If)
    assert choice.then[0] == Comment("opens", beside=True) and choice.then[1] == Comment("inside")
    assert choice.then[3:] == (Comment("below the last"), Comment("above the elif"))
    second = choice.orelse[0]
    assert isinstance(second, p.If) and second.then == (Comment("second arm", beside=True), p.Pass())
    assert second.orelse[0] == Comment("otherwise", beside=True)
    assert second.orelse[1] == Comment("an operand") and second.orelse[3] == Comment("behind it", beside=True)
    loop = body[5]
    assert isinstance(loop, p.For) and loop.body[0] == Comment("in the loop")
    assert loop.body[2] == Comment("adds", beside=True)
    assert body[6] == Comment("no blank") and body[8] == Comment("the end")


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
        changed = p.Program(program.signature, program.body, program.functions, docstring=docstring)
        assert read(write(changed), changed.signature).docstring == docstring.strip()


def test_what_looks_like_a_comment_is_none() -> None:
    program = read('import warp as wp\n@wp.kernel\ndef k(n: int):\n    wp.printf("# %d\\n", n)\n')
    assert program.body == (p.Print("# %d\n", (p.Name("n", p.INT),)),)
