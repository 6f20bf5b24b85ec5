package dev.weir.micrometer;

import dev.weir.Decision;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.queue.QueueObserver;
import dev.weir.queue.QueueSnapshot;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.QueueView;
import dev.weir.spi.Registration;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one wait queue, tagged by the {@code name} of the limiter it stands before:
 *
 * <ul>
 *   <li>{@code weir.queue.length}, {@code weir.queue.permits}: gauges of the waiting requests and of their permits
 *   <li>{@code weir.queue.oldest.age}, {@code weir.queue.predicted.wait}: gauges of time
 *   <li>{@code weir.queue.ended}: counter of requests that waited or were refused, each once, by {@code how} (granted,
 *       limited, timed_out, shed, queue_full, cancelled, never); {@code shed} only if the discipline {@linkplain
 *       dev.weir.queue.discipline.DisciplineSpec#sheds sheds}, or did. The rejections are also among the {@code weir.acquire}
 *       of the limiter, see {@link #before}
 *   <li>{@code weir.wait}: timer of the time that requests waited; buckets and percentiles only if {@link #timing} adds them
 * </ul>
 *
 * <p>Thread-safe. Meters live until {@link #close}; the queue need not end with them.
 */
public final class QueueMeters implements MeterBinder, AutoCloseable {
    private final QueueView queue;
    private final UnaryOperator<Timer.Builder> timing;
    private final Consumer<Set<Reason>> rejections;
    private final Tags name;
    private final Bindings<MeterTable<?, QueueSnapshot>> bound;

    private QueueMeters(QueueView queue, UnaryOperator<Timer.Builder> timing, Consumer<Set<Reason>> rejections) {
        this.queue = queue;
        this.timing = timing;
        this.rejections = rejections;
        this.name = Tags.of("name", WeirMeters.tag(queue.name()));
        this.bound = new Bindings<>("queue " + queue.name() + " is", "weir.queue.length", name);
    }

    /** The meters of this queue. */
    public static QueueMeters of(QueueView queue) {
        return new QueueMeters(Objects.requireNonNull(queue, "queue"), UnaryOperator.identity(), reasons -> {});
    }

    /**
     * The same meters, with other options of {@code weir.wait}: {@code timing(Timer.Builder::publishPercentileHistogram)}
     * publishes the buckets of a histogram, {@code timing(timer -> timer.publishPercentiles(.5, .99))} percentiles. By default
     * neither, for each is a series of its own. To be called before {@link #bindTo}.
     *
     * @param options is called once for each registry; it must return a builder
     */
    public QueueMeters timing(UnaryOperator<Timer.Builder> options) {
        return new QueueMeters(queue, Objects.requireNonNull(options, "options"), rejections);
    }

    /**
     * The same meters, which also let those of the limiter show the reasons for which this queue may refuse, as long as they are
     * bound. Otherwise the limiter shows such a reason once a request was refused for it. To be called before {@link #bindTo}.
     */
    public QueueMeters before(WeirMeters limiter) {
        return telling(Objects.requireNonNull(limiter, "limiter")::queueRefuses);
    }

    /** The same meters, which tell the reasons for which the queue may refuse, as long as they are bound. */
    QueueMeters telling(Consumer<Set<Reason>> told) {
        return new QueueMeters(queue, timing, told);
    }

    /**
     * Registers the meters.
     *
     * @throws IllegalStateException if a queue of this name has its meters there already
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        bound.bind(registry, new MeterTable<>(registry, name, queue, QueueView::snapshot), meters -> {
            register(meters);
            Timer waits = timing.apply(WeirMeters.waits(queue.name())).register(registry);
            Waits observer = new Waits(meters, meters.add(waits));
            meters.keep(queue.observe(observer));
            meters.keep(observer);
            observer.onReconfigured();
        });
    }

    private static void register(MeterTable<?, QueueSnapshot> meters) {
        meters.gauge("weir.queue.length", "requests", "Requests that wait", QueueSnapshot::length);
        String permits = "Permits that the waiting requests ask for";
        meters.gauge("weir.queue.permits", "permits", permits, QueueSnapshot::permits);
        String oldest = "The longest wait so far of the requests that wait";
        meters.time("weir.queue.oldest.age", oldest, QueueSnapshot::oldestAgeNanos);
        meters.time(
                "weir.queue.predicted.wait", "How long a new request would wait", QueueSnapshot::predictedWaitNanos);
        ended(meters, "granted", QueueSnapshot::granted);
        ended(meters, "limited", QueueSnapshot::limited);
        ended(meters, "timed_out", QueueSnapshot::timedOut);
        ended(meters, "queue_full", QueueSnapshot::full);
        ended(meters, "cancelled", QueueSnapshot::cancelled);
        ended(meters, "never", QueueSnapshot::never);
    }

    private static Meter ended(MeterTable<?, QueueSnapshot> meters, String how, ToDoubleFunction<QueueSnapshot> count) {
        String help = "Requests that waited or were refused, by how that ended";
        return meters.counter("weir.queue.ended", "requests", help, count, "how", how);
    }

    /** The waits, and the reasons of the specification in force, in one registry. */
    private final class Waits implements QueueObserver, Registration {
        private final MeterTable<?, QueueSnapshot> meters;
        private final Timer waits;
        private @Nullable Meter shed;
        private boolean closed;

        Waits(MeterTable<?, QueueSnapshot> meters, Timer waits) {
            this.meters = meters;
            this.waits = waits;
        }

        @Override
        public void onWaited(Request request, Decision decision, long waitedNanos) {
            waits.record(waitedNanos, TimeUnit.NANOSECONDS);
        }

        /* The last to come reads the specification in force. A queue does not shed any more once a discipline is in force that
        sheds none. */
        @Override
        public synchronized void onReconfigured() {
            if (closed) {
                return;
            }
            QueueSnapshot now = queue.snapshot();
            boolean sheds = sheds(now.spec()) || now.shed() > 0;
            if (sheds && shed == null) {
                shed = ended(meters, "shed", QueueSnapshot::shed);
            } else if (!sheds && shed != null) {
                meters.remove(shed);
                shed = null;
            }
            rejections.accept(reasons(now.spec()));
        }

        @Override
        public synchronized void close() {
            closed = true;
            rejections.accept(Set.of());
        }
    }

    private static boolean sheds(QueueSpec spec) {
        return spec.capacity() > 0 && spec.discipline().sheds();
    }

    /** The reasons for which a queue may refuse that are not those of its limiter. */
    private static Set<Reason> reasons(QueueSpec spec) {
        if (spec.capacity() == 0 && spec.maxWait().isZero()) {
            return Set.of(); // it serves nobody but those who wait in it
        }
        return sheds(spec)
                ? Set.of(Reason.QUEUE_FULL, Reason.TIMED_OUT, Reason.CANCELLED, Reason.SHED)
                : Set.of(Reason.QUEUE_FULL, Reason.TIMED_OUT, Reason.CANCELLED);
    }

    /** Removes the meters from every registry they were bound to. Idempotent. */
    @Override
    public void close() {
        bound.close();
    }
}
