package dev.weir;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Asynchronous work that starts when a permit is granted and holds it until its stage has completed. */
@SuppressWarnings("FutureReturnValueIgnored") // The actions on these futures handle their own failures.
final class AsyncCall<T> {
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Supplier<? extends CompletionStage<T>> work;

    private AsyncCall(Supplier<? extends CompletionStage<T>> work) {
        this.work = work;
    }

    /** The result of the work. Completing it early cancels the request or the stage. */
    static <T> CompletableFuture<T> of(CompletableFuture<Decision> asked, Supplier<? extends CompletionStage<T>> work) {
        AsyncCall<T> call = new AsyncCall<>(work);
        call.result.whenComplete((value, thrown) -> asked.cancel(false));
        asked.whenComplete(call::decided);
        return call.result;
    }

    /** The result of the work after a decision that is known already. */
    static <T> CompletableFuture<T> of(Decision decision, Supplier<? extends CompletionStage<T>> work) {
        AsyncCall<T> call = new AsyncCall<>(work);
        call.decided(decision, null);
        return call.result;
    }

    private void decided(@Nullable Decision decision, @Nullable Throwable failure) {
        if (decision instanceof Permit permit) {
            if (result.isDone()) {
                permit.release(Outcome.CANCELLED);
            } else {
                start(permit);
            }
        } else if (decision instanceof Rejection rejection) {
            result.completeExceptionally(new LimitExceededException(rejection));
        } else {
            result.completeExceptionally(Objects.requireNonNull(failure));
        }
    }

    private void start(Permit permit) {
        try {
            CompletionStage<T> stage = Objects.requireNonNull(work.get(), "stage");
            stage.whenComplete((value, thrown) -> ended(permit, value, thrown));
            result.whenComplete((value, thrown) -> cancel(stage));
        } catch (Throwable t) {
            ended(permit, null, t);
        }
    }

    private void ended(Permit permit, @Nullable T value, @Nullable Throwable thrown) {
        if (thrown == null) {
            permit.release(Outcome.SUCCESS);
            complete(value);
        } else {
            permit.releaseAfter(thrown);
            result.completeExceptionally(thrown);
        }
    }

    @SuppressWarnings("NullAway") // A stage may complete with null; CompletableFuture is not annotated for it.
    private void complete(@Nullable T value) {
        result.complete(value);
    }

    private static void cancel(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().cancel(true);
        } catch (UnsupportedOperationException e) {
            // A stage that cannot be cancelled goes on, and holds the permit until it has completed.
        }
    }
}
