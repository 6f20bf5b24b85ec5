package dev.weir.adaptive;

import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.IndebtedRate;
import dev.weir.succession.PartSpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import java.math.BigInteger;
import java.util.List;
import java.util.Objects;

/**
 * A specification whose first strategy starts with a debt: {@code debtNanos} of refilling at {@code limit}, which may differ from
 * its own limit.
 */
record IndebtedSpec(StrategySpec spec, long limit, long debtNanos) implements PartSpec {
    IndebtedSpec {
        Objects.requireNonNull(spec, "spec");
    }

    @Override
    public Strategy create(Ticker ticker) {
        return compose(
                parts().stream()
                        .map(part -> indebted(Parts.create(part, ticker), ticker))
                        .toList(),
                ticker);
    }

    private PartStrategy indebted(PartStrategy strategy, Ticker ticker) {
        Account flow = strategy.account();
        return flow == null ? strategy : IndebtedRate.of(strategy, permits(flow), ticker);
    }

    private long permits(Account flow) {
        BigInteger period = BigInteger.valueOf(flow.period());
        return BigInteger.valueOf(debtNanos)
                .multiply(BigInteger.valueOf(limit))
                .add(period.subtract(BigInteger.ONE))
                .divide(period)
                .min(BigInteger.valueOf(Long.MAX_VALUE / 2))
                .longValue();
    }

    @Override
    public List<StrategySpec> parts() {
        return spec.parts();
    }

    @Override
    public PartStrategy compose(List<PartStrategy> parts, Ticker ticker) {
        return Parts.of(spec).compose(parts, ticker);
    }
}
