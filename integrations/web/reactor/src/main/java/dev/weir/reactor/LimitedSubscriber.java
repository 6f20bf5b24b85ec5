package dev.weir.reactor;

import dev.weir.Decision;
import dev.weir.Lease;
import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import dev.weir.Rejection;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** One subscription: it waits for a permit, then subscribes to the source, and releases the permit at the end. */
final class LimitedSubscriber<T> extends Operators.DeferredSubscription implements CoreSubscriber<T> {
    /*
     * What is requested before the source is subscribed to is kept by the DeferredSubscription. A cancel may come at any time, also
     * before there is a lease; each side writes before it reads, so that one of them ends the lease:
     *
     *     subscribes                       cancels
     *     lease := asked                   isCancelled := true
     *     isCancelled? ends the lease      lease? ends it
     *
     * The lease decides between the decision and the cancel: after a cancel neither a permit nor a failure is told to anybody.
     */
    private final Publisher<? extends T> source;
    private final CoreSubscriber<? super T> actual;
    private volatile @Nullable Lease lease;
    /* Signals come one after the other. */
    private boolean isDone;

    LimitedSubscriber(Publisher<? extends T> source, CoreSubscriber<? super T> actual) {
        this.source = source;
        this.actual = actual;
    }

    void start(Function<ContextView, CompletableFuture<Decision>> acquire) {
        actual.onSubscribe(this);
        if (isCancelled()) {
            return;
        }
        Lease asked;
        try {
            asked = Lease.of(acquire.apply(actual.currentContext()));
        } catch (Throwable t) {
            onError(t);
            return;
        }
        lease = asked;
        if (isCancelled()) {
            asked.end(Outcome.CANCELLED);
        } else {
            asked.whenDecided(this::decided, this::refused);
        }
    }

    private void decided(Decision decision) {
        if (decision instanceof Rejection refused) {
            refused(new LimitExceededException(refused));
            return;
        }
        try {
            source.subscribe(this);
        } catch (Throwable t) {
            onError(t);
        }
    }

    /* Told to one that has cancelled, it would be logged as an error. */
    private void refused(Throwable thrown) {
        if (!isCancelled()) {
            onError(thrown);
        }
    }

    @Override
    public void onSubscribe(Subscription upstream) {
        set(upstream);
    }

    @Override
    public void onNext(T value) {
        try {
            actual.onNext(value);
        } catch (Throwable t) {
            // No end follows if the source does not catch it either.
            end(held -> held.endAfter(t));
            throw t;
        }
    }

    @Override
    public void onError(Throwable thrown) {
        if (isDone) {
            Operators.onErrorDropped(thrown, currentContext());
            return;
        }
        isDone = true;
        end(held -> held.endAfter(thrown));
        actual.onError(thrown);
    }

    @Override
    public void onComplete() {
        if (isDone) {
            return;
        }
        isDone = true;
        end(held -> held.end(Outcome.SUCCESS));
        actual.onComplete();
    }

    private void end(Consumer<Lease> how) {
        Lease held = lease;
        if (held != null) {
            how.accept(held);
        }
    }

    @Override
    public void cancel() {
        try {
            super.cancel();
        } finally {
            end(held -> held.end(Outcome.IGNORED));
        }
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    @Override
    public @Nullable Object scanUnsafe(@SuppressWarnings("rawtypes") Attr key) {
        return key == Attr.ACTUAL ? actual : super.scanUnsafe(key);
    }
}
