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
import java.util.function.Supplier;
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
            return limiter.acquire(request, wait(limiter));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Rejection(limiter.name(), Reason.CANCELLED, 0, 0);
        }
    }

    private Duration wait(NamedLimiter present) {
        return maxWait == null ? present.maxWait() : maxWait;
    }

    /** The result of the fallback, or without one an exception. */
    @Nullable
    Object refused(MethodInvocation invocation, Rejection refused) throws Throwable {
        if (fallback == null) {
            throw new LimitExceededException(refused);
        }
        return fallback.call(target(invocation), invocation.getArguments(), refused);
    }

    /** Acquires a permit for the work and starts it, without blocking. */
    <T> CompletableFuture<T> start(Request request, Supplier<CompletionStage<T>> work) {
        return limiter.callAsync(request, wait(limiter), work);
    }
}
