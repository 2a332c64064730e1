"""The kitchen's ledger, as in ledger.cc: a hundred dishes of 3 GB beside a base of 12 GB, cooked in 120 s, and a
corridor to the store room of 50 GB/s or, narrow, of 2 GB/s."""
import worktop


def kitchen(lambda_, bandwidth):
    return worktop.ledger(
        layers=100, activation="3GB", base="12GB", forward="120s", bandwidth=bandwidth, segments=10, lambda_=lambda_)


for bandwidth in ("50GB/s", "2GB/s"):
    print(f"Cost with a corridor of {bandwidth.replace('GB', ' GB')}")
    print(f"{'lambda':>8}" + "".join(f"{name:>13}" for name in ("keep_all", "checkpoint", "offload_all")) + "  winner")
    for lambda_ in (0.2, 0.3, 0.5, 0.8):
        ledger = kitchen(lambda_, bandwidth)
        costs = "".join(f"{row.cost:13.1f}" for row in ledger.rows if row.competes)
        print(f"{lambda_:8.1f}{costs}  {ledger.best}")
    print()
print(kitchen(0.3, "2GB/s").text(), end="")
