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
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A specification whose first strategy starts with a debt: {@code debtNanos} of refilling, of the first part at {@code limit}, which
 * may differ from its own limit, of the others at theirs, for they may count in other units.
 */
record IndebtedSpec(StrategySpec spec, long limit, long debtNanos) implements PartSpec {
    IndebtedSpec {
        Objects.requireNonNull(spec, "spec");
    }

    @Override
    public Strategy create(Ticker ticker) {
        List<PartStrategy> made = new ArrayList<>();
        for (StrategySpec part : parts()) {
            PartStrategy strategy = Parts.create(part, ticker);
            Account flow = strategy.account();
            long perPeriod = made.isEmpty() || flow == null ? limit : flow.permits();
            made.add(flow == null ? strategy : IndebtedRate.of(strategy, permits(flow, perPeriod), ticker));
        }
        return compose(made, ticker);
    }

    private long permits(Account flow, long perPeriod) {
        BigInteger period = BigInteger.valueOf(flow.period());
        return BigInteger.valueOf(debtNanos)
                .multiply(BigInteger.valueOf(perPeriod))
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
