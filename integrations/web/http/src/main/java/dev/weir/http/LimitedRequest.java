package dev.weir.http;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A request to a server that must pass limits. One thread asks for it; the answer may come on another. */
public final class LimitedRequest {
    private final Routes routes;
    private final Routes.Limits limits;
    private final HttpRequest http;
    private final Request request;
    /* A limit asked for it, and there is none. */
    private volatile boolean lacksUser;

    LimitedRequest(Routes routes, Routes.Limits limits, HttpRequest http) {
        this.routes = routes;
        this.limits = limits;
        this.http = http;
        request = limits.limiter().request(this::dimension, limits.costs());
    }

    private @Nullable String dimension(String name) {
        String value = routes.dimension(name, limits.pattern().path(), http);
        if (value == null && name.equals(Routes.USER)) {
            lacksUser = true;
        }
        return value;
    }

    /** The route of the request. */
    public Route route() {
        return limits.route();
    }

    /**
     * Acquires a permit, and blocks as long as the limits let a request wait.
     *
     * @throws InterruptedException if the thread is interrupted while it waits; no permit is held then
     */
    public Decision acquire() throws InterruptedException {
        return limits.limiter().acquire(request);
    }

    /** Acquires a refundable permit without blocking; as {@link dev.weir.AsyncLimiter#acquireAsync}. */
    public CompletableFuture<Decision> acquireAsync() {
        return limits.limiter().acquireAsync(request.refundable());
    }

    /**
     * Writes the fields of a request that was granted, if they are wanted.
     *
     * @param to takes the name and the value of a field, at most once for each name
     */
    public void write(Permit permit, BiConsumer<? super String, ? super String> to) {
        if (routes.tellsGranted) {
            limits.fields().write(request, permit, to);
        }
    }

    /** The answer to the request, if it was refused. */
    public HttpRejection answer(Rejection rejection) {
        Map<String, String> fields = new LinkedHashMap<>();
        limits.fields().write(request, rejection, fields::put);
        int status = RateLimitFields.status(rejection);
        String challenge = routes.challenge;
        if (rejection.reason() == Reason.KEY_MISSING && lacksUser && challenge != null) {
            status = 401;
            fields.put("WWW-Authenticate", challenge);
        }
        boolean wantsProblem = http.header("Accept").stream()
                .anyMatch(each -> each.toLowerCase(Locale.ROOT).contains("application/problem+json"));
        return new HttpRejection(
                status,
                fields,
                routes.answersProblems || wantsProblem ? limits.fields().problem(rejection) : null);
    }
}
