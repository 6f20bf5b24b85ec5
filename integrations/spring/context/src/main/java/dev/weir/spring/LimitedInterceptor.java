package dev.weir.spring;

import java.util.Objects;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Calls limited methods under their limits. */
record LimitedInterceptor(LimitedMethods methods) implements MethodInterceptor {
    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = Objects.requireNonNull(invocation.getThis(), "target");
        return methods.find(invocation.getMethod(), target.getClass()).call(invocation);
    }
}
