"""Rows of the table, a line each: what is drawn from a seed, to the last bit, and what is refused."""

from table import calls

for seed in (0, 42, 2**40 + 7):
    calls(
        """
        g.initial_seed()
        torch.rand(4, generator=g)
        torch.rand(2, dtype=torch.float64, generator=g)
        torch.rand(33, dtype=torch.float16, generator=g)
        torch.zeros(5, 4).t().uniform_(-1, 3, generator=g)
        torch.zeros(8, 3)[::2].uniform_(generator=g)
        torch.randint(0, 1000, (4,), generator=g)
        torch.randint(-(2**40), 2**40, (2,), generator=g)
        [torch.zeros(4).long().random_(0, span, generator=g) for span in (1, 2**28, 2**28 + 1, 2**32, 2**62)]
        torch.zeros(5, dtype=torch.uint8).random_(0, 256, generator=g)
        torch.zeros(3).half().random_(0, 2048, generator=g)
        [torch.randperm(n, generator=g) for n in (0, 1, 2, 8, 100)]
        torch.zeros(8).bernoulli_(0.5, generator=g)
        torch.full((8,), 0.5).bernoulli(generator=g)
        torch.zeros(4, 3).t().bernoulli_(torch.full((3, 4), 0.25, dtype=torch.float64), generator=g)
        torch.zeros(6, dtype=torch.bool).bernoulli_(torch.full((6,), 0.75).half(), generator=g)
        [torch.zeros(3, dtype=dtype).exponential_(2.0, generator=g) for dtype in (torch.float64, torch.float32)]
        torch.zeros(30, dtype=torch.float16).exponential_(1.3, generator=g)
        torch.multinomial(L([1.0, 2.0, 0.0, 4.0]), 6, True, generator=g)
        torch.multinomial(L([1.0, 2.0, 0.0, 4.0]), 3, generator=g)
        torch.multinomial(L([[1.0, 2.0, 0.0, 4.0], [0.5, 0.5, 3.0, 1.0]]).half(), 5, True, generator=g)
        torch.multinomial(L([[1.0, 2.0, 0.5, 4.0], [0.25, 0.75, 3.0, 1.0]]).double(), 2, generator=g)
        """,
        "float32",
        ulps=0,
        before=f"g = torch.Generator().manual_seed({seed})",
    )
    # The C library's sine and logarithm decide the last bits.
    calls(
        """
        [torch.randn(n, generator=g) for n in (1, 2, 15, 16, 17, 31, 32, 33)]
        [torch.randn(n, dtype=torch.float64, generator=g) for n in (3, 16, 17)]
        [torch.randn(n, dtype=torch.float16, generator=g) for n in (3, 16, 17)]
        [torch.zeros(n).normal_(1.3, 0.7, generator=g) for n in (3, 40)]
        torch.zeros(6, 4).t().normal_(generator=g)
        [torch.randn(1, generator=g), torch.rand(2, generator=g), torch.randn(1, generator=g)]
        [torch.randn(1, generator=g), torch.randn(17, generator=g), torch.randn(2, generator=g)]
        """,
        "float32",
        before=f"g = torch.Generator().manual_seed({seed})",
    )
calls(
    """
    torch.Generator().initial_seed()
    torch.rand(2, generator=torch.Generator())
    torch.manual_seed(-5).initial_seed()
    [torch.manual_seed(7), torch.initial_seed(), torch.rand(2)][1:]
    g.manual_seed(2**64)
    g.manual_seed(-(2**63) - 1)
    g.manual_seed(1.5)
    g.manual_seed(True)
    torch.Generator("foo")
    torch.zeros(3).uniform_(1, 0, generator=g)
    torch.zeros(3).uniform_(0, 1e39, generator=g)
    torch.zeros(3).half().uniform_(nan, 1, generator=g)
    torch.zeros(3).uniform_(-3e38, 3e38, generator=g)
    torch.zeros(3).long().uniform_(0, 1, generator=g)
    torch.zeros(3).normal_(0, -1, generator=g)
    torch.zeros(3).bool().normal_(0, 1, generator=g)
    torch.zeros(3).exponential_(0, generator=g)
    torch.zeros(3).long().exponential_(1, generator=g)
    torch.zeros(3).bernoulli_(1.5, generator=g)
    torch.zeros(2).bernoulli_(L([0.5, 1.5]), generator=g)
    torch.zeros(2).bernoulli_(L([0, 1]), generator=g)
    torch.zeros(3).random_(5, 5, generator=g)
    torch.zeros(3, dtype=torch.uint8).random_(0, 300, generator=g)
    torch.zeros(3, dtype=torch.uint8).random_(-1, 3, generator=g)
    torch.zeros(3).long().random_(0, 2**63, generator=g)
    torch.randperm(-1, generator=g)
    torch.zeros(1).expand(3).uniform_(0, 1, generator=g)
    torch.multinomial(L([1.0, -1.0]), 1, generator=g)
    torch.multinomial(L([1.0, nan]), 2, True, generator=g)
    torch.multinomial(L([1.0, inf]), 2, True, generator=g)
    torch.multinomial(L([[1.0, 2.0], [0.0, 0.0]]), 2, True, generator=g)
    torch.multinomial(L([[1.0, 2.0], [0.0, 0.0]]), 1, True, generator=g)
    torch.multinomial(L([1.0, 2.0]), 3, generator=g)
    torch.multinomial(L([1.0, 2.0]), 0, True, generator=g)
    torch.multinomial(L(1.0), 1, True, generator=g)
    torch.multinomial(L([1, 2]), 1, True, generator=g)
    """,
    "float32",
    ulps=0,
    before="g = torch.Generator()",
)
