package dev.weir.spring;

import dev.weir.Decision;
import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.named.NamedLimiter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** A limited method, with all that its calls need. Without {@code maxWait} they wait as the queue of the limit says. Thread-safe. */
record LimitedMethod(
        NamedLimiter limiter,
        LimitedRequests requests,
        @Nullable Duration maxWait,
        CallForm form,
        @Nullable Fallback fallback) {

    @Nullable
    Object call(MethodInvocation invocation) throws Throwable {
        Request request = requests.of(target(invocation), invocation.getArguments());
        return switch (form) {
            case VALUE -> value(invocation, request);
            case STAGE -> StageCall.of(this, invocation, request);
            case PUBLISHER -> PublisherCall.of(this, invocation, request);
        };
    }

    /** The bean; the proxy itself if there is nothing behind it but interceptors, as with a client that is an interface. */
    static Object target(MethodInvocation invocation) {
        Object target = invocation.getThis();
        return target == null ? ((ProxyMethodInvocation) invocation).getProxy() : target;
    }

    private @Nullable Object value(MethodInvocation invocation, Request request) throws Throwable {
        Decision decision = decide(request);
        if (decision instanceof Rejection refused) {
            return refused(invocation, refused);
        }
        Permit permit = (Permit) decision;
        Object result;
        try {
            result = invocation.proceed();
        } catch (Throwable t) {
            permit.releaseAfter(t);
            throw t;
        }
        permit.release(Outcome.SUCCESS);
        return result;
    }

    private Decision decide(Request request) {
        try {
            return limiter.acquire(request, longestWait());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Rejection(limiter.name(), Reason.CANCELLED, 0, 0);
        }
    }

    private Duration longestWait() {
        return maxWait == null ? limiter.maxWait() : maxWait;
    }

    /** The result of the fallback, or without one an exception. */
    @Nullable
    Object refused(MethodInvocation invocation, Rejection refused) throws Throwable {
        if (fallback == null) {
            throw new LimitExceededException(refused);
        }
        return fallback.call(target(invocation), invocation.getArguments(), refused);
    }

    /** A call that returns a stage, and holds its permit until that has completed. */
    @SuppressWarnings("FutureReturnValueIgnored") // The actions on these futures handle their own failures.
    private static final class StageCall {
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
            CompletableFuture<Object> asked = method.limiter.callAsync(request, method.longestWait(), call::work);
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
        private static void complete(
                CompletableFuture<Object> result, @Nullable Object value, @Nullable Throwable thrown) {
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
}
