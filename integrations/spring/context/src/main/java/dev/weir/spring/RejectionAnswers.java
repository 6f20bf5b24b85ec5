package dev.weir.spring;

import dev.weir.LimitExceededException;
import dev.weir.Rejection;
import dev.weir.http.HttpRejection;
import dev.weir.http.Policy;
import dev.weir.http.RateLimitFields;
import dev.weir.named.Names;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Answers to requests of HTTP that end because a limit refused what they called. Thread-safe. */
final class RejectionAnswers {
    /** The attribute of a request that has been answered so: a limit before the server then knows that the answer says nothing of it. */
    static final String ATTRIBUTE = "dev.weir.http.refused";

    /* By name, because an application may have no servlets. */
    private static final Set<String> WRAPPERS = Set.of(
            CompletionException.class.getName(),
            ExecutionException.class.getName(),
            UndeclaredThrowableException.class.getName(),
            InvocationTargetException.class.getName(),
            "jakarta.servlet.ServletException");
    private static final int MAX_WRAPPERS = 16;

    /* Of a limit that has no name here: it is told as the rejection has it. */
    private static final RateLimitFields OTHER =
            RateLimitFields.builder().policy(Policy.concurrency("limit", 0)).build();

    private final Map<String, RateLimitFields> fields = new ConcurrentHashMap<>();
    private final Supplier<@Nullable Names> names;

    /**
     * Answers with the figures of the limits of these names.
     *
     * @param names gives null if there are none
     */
    RejectionAnswers(Supplier<@Nullable Names> names) {
        this.names = names;
    }

    /** The rejection that an exception tells of, or one that it wraps; null = none. */
    static @Nullable Rejection find(Throwable thrown) {
        Throwable t = thrown;
        for (int i = 0; i < MAX_WRAPPERS; i++) {
            if (t instanceof LimitExceededException refused) {
                return refused.rejection();
            }
            Throwable cause = t.getCause();
            if (cause == null || !WRAPPERS.contains(t.getClass().getName())) {
                return null;
            }
            t = cause;
        }
        return null;
    }

    /**
     * The answer.
     *
     * @param accepted what the client accepts, as its request says; null = it does not say
     */
    HttpRejection answer(Rejection rejection, @Nullable String accepted) {
        RateLimitFields of = fields(rejection.limiter());
        Map<String, String> told = new LinkedHashMap<>();
        of.write(rejection, told::put);
        boolean wantsProblem = accepted != null && accepted.contains("application/problem+json");
        return new HttpRejection(RateLimitFields.status(rejection), told, wantsProblem ? of.problem(rejection) : null);
    }

    private RateLimitFields fields(String name) {
        RateLimitFields known = fields.get(name);
        if (known != null) {
            return known;
        }
        Names all = names.get();
        if (all == null || !all.names().contains(name)) {
            return OTHER;
        }
        return fields.computeIfAbsent(name, each -> RateLimitFields.of(all.limiter(each)));
    }
}
