package dev.weir.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A source whose connections are counted. */
final class LentConnections {
    private final DataSource source;
    private final AtomicInteger lent = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();

    LentConnections(DataSource source) {
        this.source = source;
    }

    DataSource source() {
        return proxy(DataSource.class, (proxy, method, arguments) -> {
            Object answer = call(source, method, arguments);
            if (!(answer instanceof Connection connection)) {
                return answer;
            }
            lent.incrementAndGet();
            open.incrementAndGet();
            return proxy(Connection.class, (same, asked, values) -> {
                if (asked.getName().equals("close") && !connection.isClosed()) {
                    open.decrementAndGet();
                }
                return call(connection, asked, values);
            });
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    int lent() {
        return lent.get();
    }

    int open() {
        return open.get();
    }
}
