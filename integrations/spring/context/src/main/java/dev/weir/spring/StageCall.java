package dev.weir.spring;

import dev.weir.LimitExceededException;
import dev.weir.Request;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A call that returns a stage, and holds its permit until that has completed. */
@SuppressWarnings("FutureReturnValueIgnored") // The actions on these futures handle their own failures.
final class StageCall {
    private final LimitedMethod method;
    private final MethodInvocation invocation;
    /* A rejection after the start is that of a limit which the work asked. */
    private final AtomicBoolean started = new AtomicBoolean();

    private StageCall(LimitedMethod method, MethodInvocation invocation) {
        this.method = method;
        this.invocation = invocation;
    }

    /** The result of the work, or of the fallback. Completing it early cancels the request or the stage. */
    static CompletableFuture<Object> of(LimitedMethod method, MethodInvocation invocation, Request request) {
        StageCall call = new StageCall(method, invocation);
        CompletableFuture<Object> asked = method.start(request, call::work);
        if (method.fallback() == null) {
            return asked;
        }
        CompletableFuture<Object> result = new CompletableFuture<>();
        asked.whenComplete((value, thrown) -> call.ended(result, value, thrown));
        result.whenComplete((value, thrown) -> asked.cancel(true));
        return result;
    }

    private CompletionStage<Object> work() {
        started.set(true);
        return stage(invocation::proceed);
    }

    private void ended(CompletableFuture<Object> result, @Nullable Object value, @Nullable Throwable thrown) {
        if (thrown instanceof LimitExceededException refused && !started.get()) {
            CompletionStage<Object> other = stage(() -> method.refused(invocation, refused.rejection()));
            other.whenComplete((ofOther, thrownByOther) -> complete(result, ofOther, thrownByOther));
        } else {
            complete(result, value, thrown);
        }
    }

    @SuppressWarnings("NullAway") // A stage may complete with null; CompletableFuture is not annotated for it.
    private static void complete(CompletableFuture<Object> result, @Nullable Object value, @Nullable Throwable thrown) {
        if (thrown == null) {
            result.complete(value);
        } else {
            result.completeExceptionally(thrown);
        }
    }

    private interface Call {
        @Nullable
        Object of() throws Throwable;
    }

    @SuppressWarnings("unchecked") // The method is declared to return a stage.
    private static CompletionStage<Object> stage(Call call) {
        try {
            CompletionStage<Object> stage = (CompletionStage<Object>) call.of();
            return stage == null ? CompletableFuture.failedFuture(new NullPointerException("stage")) : stage;
        } catch (Throwable t) {
            return CompletableFuture.failedFuture(t);
        }
    }
}
