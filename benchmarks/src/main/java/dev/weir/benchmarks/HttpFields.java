package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.released;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.http.RateLimitFields;
import dev.weir.named.NamedLimiter;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * A request to a server, from its dimensions to its release, with the fields of its response. The floor is the same without fields.
 */
public class HttpFields {
    /** The response of one request. */
    @State(Scope.Thread)
    public static class Response implements BiConsumer<String, String> {
        String last = "";

        @Override
        public void accept(String name, String value) {
            last = value;
        }
    }

    @State(Scope.Benchmark)
    public static class Limits extends NamedLimit.Named {
        final RateLimitFields ofRate = RateLimitFields.of(namedRate);
        final RateLimitFields ofWork = RateLimitFields.of(named);
        final RateLimitFields ofClient = RateLimitFields.of(namedClient);
        final NamedLimiter both = registry().names().limiter("client", "work");
        final RateLimitFields ofBoth = RateLimitFields.of(both);
        final Function<String, String> dimensions = dimension -> "192.0.2.7";
    }

    private static Decision told(Limits its, NamedLimiter limiter, RateLimitFields fields, Response to) {
        Request request = limiter.request(its.dimensions);
        Decision decision = limiter.tryAcquire(request);
        fields.write(request, decision, to);
        return released(decision);
    }

    private static Decision untold(Limits its, NamedLimiter limiter) {
        return released(limiter.tryAcquire(limiter.request(its.dimensions)));
    }

    @Benchmark
    public Decision weirRate(Limits its, Response to) {
        return told(its, its.namedRate, its.ofRate, to);
    }

    @Benchmark
    public Decision floorRate(Limits its) {
        return untold(its, its.namedRate);
    }

    @Benchmark
    public Decision weirConcurrency(Limits its, Response to) {
        return told(its, its.named, its.ofWork, to);
    }

    @Benchmark
    public Decision floorConcurrency(Limits its) {
        return untold(its, its.named);
    }

    @Benchmark
    public Decision weirKeyed(Limits its, Response to) {
        return told(its, its.namedClient, its.ofClient, to);
    }

    @Benchmark
    public Decision floorKeyed(Limits its) {
        return untold(its, its.namedClient);
    }

    @Benchmark
    public Decision weirPair(Limits its, Response to) {
        return told(its, its.both, its.ofBoth, to);
    }

    @Benchmark
    public Decision floorPair(Limits its) {
        return untold(its, its.both);
    }
}
