package dev.weir.http;

import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** The outcome that the end of a request has for controllers. */
public final class HttpOutcome {
    /* By name, because no server is on the class path of this module. */
    private static final Set<String> WRAPPERS = Set.of(
            CompletionException.class.getName(),
            ExecutionException.class.getName(),
            UndeclaredThrowableException.class.getName(),
            InvocationTargetException.class.getName(),
            "jakarta.servlet.ServletException");
    private static final int MAX_WRAPPERS = 16;

    private HttpOutcome() {}

    /**
     * The outcome of a request that was answered with this status: {@link Outcome#DROPPED} for 502, 503 and 504, which tell of what is
     * called; {@link Outcome#IGNORED} for other errors of a server, and for 408, a client that was slow; else
     * {@link Outcome#SUCCESS}.
     */
    public static Outcome of(int status) {
        return switch (status) {
            case 502, 503, 504 -> Outcome.DROPPED;
            case 408 -> Outcome.IGNORED;
            default -> status >= 500 ? Outcome.IGNORED : Outcome.SUCCESS;
        };
    }

    /**
     * The outcome of a request that ended by this exception, or by one that it wraps: {@link Outcome#DROPPED} for a time-out, as
     * {@link Outcome#of} has it; {@link Outcome#IGNORED} for everything else, also where another limit refused, or where the
     * exception cannot be read.
     */
    public static Outcome of(Throwable thrown) {
        try {
            Throwable t = unwrapped(thrown);
            return t instanceof LimitExceededException ? Outcome.IGNORED : Outcome.of(t);
        } catch (Throwable unreadable) {
            return Outcome.IGNORED;
        }
    }

    /** The exception, or the one that it wraps if it is one by which a server or a future tells of another. */
    public static Throwable unwrapped(Throwable thrown) {
        Throwable t = thrown;
        for (int i = 0; i < MAX_WRAPPERS; i++) {
            Throwable cause = t.getCause();
            if (cause == null || !WRAPPERS.contains(t.getClass().getName())) {
                break;
            }
            t = cause;
        }
        return t;
    }
}
