package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.admitted;
import static dev.weir.benchmarks.Expect.refused;
import static dev.weir.benchmarks.Expect.released;

import dev.weir.Decision;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.named.NamedLimiter;
import dev.weir.named.Names;
import dev.weir.named.recorder.Recorder;
import java.time.Duration;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * A limit that is recorded beside one that only counts, and one whose recorder is there and does
 * not record beside one that has none.
 */
public class RecordedLimit {
    private static final int LIMIT = 64;
    private static final long PLENTY = 1_000_000_000;

    /** Limits by name: the plain ones beside them keep the compiler from knowing only one kind. */
    @State(Scope.Benchmark)
    public static class Nothing extends NamedLimit.Plain {
        final Names names = Names.builder().onEvent(event -> {}).build();
        final NamedLimiter named = names.limiter("work", new Semaphore(LIMIT));
        final NamedLimiter full = names.limiter("full", new Semaphore(1));
        final NamedLimiter ofRate = names.limiter("rate", TokenBucket.of(PLENTY, Duration.ofSeconds(1)));
        private final Decision held = admitted(full.tryAcquire());

        final Decision held() {
            return held;
        }
    }

    /** With a recorder that does not record any more. */
    @State(Scope.Benchmark)
    public static class Closed extends Nothing {
        final Recorder recorder = names.recorder();

        public Closed() {
            recorder.record().close();
        }
    }

    @State(Scope.Benchmark)
    public static class Counted extends Nothing {
        public Counted() {
            named.counts();
            full.counts();
            ofRate.counts();
        }
    }

    @State(Scope.Benchmark)
    public static class Recording extends Nothing {
        public Recording() {
            names.recorder().record();
        }
    }

    private static long run(Nothing its, NamedLimit.Work work) {
        its.named.run(work);
        return work.done;
    }

    private static Decision permit(Nothing its) {
        return released(its.named.tryAcquire());
    }

    private static Decision deny(Nothing its) {
        return refused(its.full.tryAcquire());
    }

    private static Decision rate(Nothing its) {
        return admitted(its.ofRate.tryAcquire());
    }

    @Benchmark
    public long weirRunRecorded(Recording its, NamedLimit.Work work) {
        return run(its, work);
    }

    @Benchmark
    public long floorRunCounted(Counted its, NamedLimit.Work work) {
        return run(its, work);
    }

    @Benchmark
    public long weirRunClosed(Closed its, NamedLimit.Work work) {
        return run(its, work);
    }

    @Benchmark
    public long floorRunNothing(Nothing its, NamedLimit.Work work) {
        return run(its, work);
    }

    @Benchmark
    public Decision weirPermitRecorded(Recording its) {
        return permit(its);
    }

    @Benchmark
    public Decision floorPermitCounted(Counted its) {
        return permit(its);
    }

    @Benchmark
    public Decision weirPermitClosed(Closed its) {
        return permit(its);
    }

    @Benchmark
    public Decision floorPermitNothing(Nothing its) {
        return permit(its);
    }

    @Benchmark
    public Decision weirDenyRecorded(Recording its) {
        return deny(its);
    }

    @Benchmark
    public Decision floorDenyCounted(Counted its) {
        return deny(its);
    }

    @Benchmark
    public Decision weirDenyClosed(Closed its) {
        return deny(its);
    }

    @Benchmark
    public Decision floorDenyNothing(Nothing its) {
        return deny(its);
    }

    @Benchmark
    public Decision weirRateRecorded(Recording its) {
        return rate(its);
    }

    @Benchmark
    public Decision floorRateCounted(Counted its) {
        return rate(its);
    }

    @Benchmark
    public Decision weirRateClosed(Closed its) {
        return rate(its);
    }

    @Benchmark
    public Decision floorRateNothing(Nothing its) {
        return rate(its);
    }
}
