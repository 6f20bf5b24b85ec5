package dev.weir.spring;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Calls limited methods under their limits. */
record LimitedInterceptor(LimitedMethods methods) implements MethodInterceptor {
    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Class<?> type = LimitedMethod.target(invocation).getClass();
        return methods.find(invocation.getMethod(), type).call(invocation);
    }
}
