package dev.weir.testkit;

import dev.weir.Request;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import java.util.function.IntToLongFunction;
import java.util.function.LongBinaryOperator;
import java.util.function.LongFunction;

/** The strategy under test, as the subclass of {@link StrategyContract} describes it; the components are methods of that class. */
record TestedStrategy(
        LongFunction<StrategySpec> specs,
        LongFunction<Request> requests,
        LongBinaryOperator bound,
        long period,
        boolean weighs,
        IntToLongFunction gains) {
    StrategySpec spec(long limit) {
        return specs.apply(limit);
    }

    Request request(long permits) {
        return requests.apply(permits);
    }

    long maxWithin(long windowNanos, long limit) {
        return bound.applyAsLong(windowNanos, limit);
    }

    long gainByCancelling(int instants) {
        return gains.applyAsLong(instants);
    }

    ManagedLimiter limiter(long limit, VirtualTime time) {
        return Limiters.builder("contract", spec(limit)).ticker(time).build();
    }
}
