package dev.weir.spring;

import dev.weir.LimitExceededException;
import dev.weir.Rejection;
import dev.weir.http.HttpOutcome;
import dev.weir.http.HttpRejection;
import dev.weir.http.RateLimitFields;
import dev.weir.named.Names;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Answers to requests of HTTP that end because a limit refused what they called. Thread-safe. */
final class RejectionAnswers {
    /* Of a limit that has no name here: it is told as the rejection has it. */
    private static final RateLimitFields OTHER = RateLimitFields.ofRejections();

    private final Map<String, RateLimitFields> fields = new ConcurrentHashMap<>();
    private final Supplier<@Nullable Names> names;

    RejectionAnswers(Supplier<@Nullable Names> names) {
        this.names = names;
    }

    /** The rejection that an exception tells of, or one that it wraps; null = none. */
    static @Nullable Rejection find(Throwable thrown) {
        return HttpOutcome.unwrapped(thrown) instanceof LimitExceededException refused ? refused.rejection() : null;
    }

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
