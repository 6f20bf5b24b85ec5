package dev.weir.engine;

import dev.weir.spi.Account;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartStrategy;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The state of a limiter at about one instant.
 *
 * @param name the name of the limiter
 * @param spec the specification in force
 * @param limit the limit in force, in the unit of the strategy; 0 after close
 * @param inFlight permits that were granted and are held, by the strategy in force or one that was replaced; none of a rate
 * @param enforced the enforced share of the limit, 0 to 1
 * @param oldestHeldNanos for how long the oldest tracked permit has been held; 0 if there is none
 * @param debtNanos the nanoseconds, at most, until all rates have refilled if nothing is granted; 0 for a concurrency limit
 * @param limitSetBy the text given to {@link dev.weir.Adjustable#setLimit(long, String)} by the last change of the limit
 *     since the specification was put in force; null if there was no such change
 * @param suspendedNanos for how much longer all requests are refused; 0 if they are not
 * @param suspendedBy the text given to {@link dev.weir.Limiter#suspendFor}; null if it is not suspended
 * @param details other figures of the strategy, by name
 */
public record Snapshot(
        String name,
        StrategySpec spec,
        long limit,
        long inFlight,
        double enforced,
        long oldestHeldNanos,
        long debtNanos,
        @Nullable String limitSetBy,
        long suspendedNanos,
        @Nullable String suspendedBy,
        Map<String, Long> details) {

    /** The time in which the slowest of the rates has refilled; saturates. */
    static long owedNanos(PartStrategy strategy) {
        return strategy.members().stream()
                .map(PartStrategy::account)
                .flatMap(Stream::ofNullable)
                .mapToLong(Account::nanosUntilRefilled)
                .max()
                .orElse(0);
    }
}
