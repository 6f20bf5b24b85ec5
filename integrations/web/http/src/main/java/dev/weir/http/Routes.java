package dev.weir.http;

import dev.weir.http.RateLimitFields.Reset;
import dev.weir.named.NamedLimiter;
import dev.weir.named.Names;
import dev.weir.named.plan.Nearest;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The limits before a server: which a request must pass, by its path, and what they count it by. The first route that fits a request
 * is its route; a request with none passes. Immutable, thread-safe; does not block.
 *
 * <pre>{@code
 * Routes routes = Routes.builder(names)
 *         .route(Route.of("POST /orders", "checkout", "per-client"))
 *         .route(Route.of("/**", "per-client"))
 *         .clients(ClientAddress.behind(1))
 *         .key("tenant", request -> request.header("X-Tenant").stream().findFirst().orElse(null))
 *         .exempt("/health")
 *         .build();
 * }</pre>
 *
 * <p>What a limit counts by is in its document. {@code key: ip} is the {@linkplain ClientAddress address of the client},
 * {@code key: user} the authenticated user, {@code key: path} the path, {@code key: method} the method; the name of a segment of the
 * path is its text; each other word is a {@linkplain Builder#key key that code declares}. A value of more than 256 characters counts by
 * its first 64 and its SHA-256, because limits keep their keys.
 */
public final class Routes {
    static final String USER = "user";
    private static final Set<String> KNOWN = Set.of("ip", USER, "path", "method");
    private static final int MAX_SAID = 100;
    private static final Logger LOG = System.getLogger(Routes.class.getName());

    /** A route with what it needs at each request. */
    record Limits(
            Route route,
            RequestPattern pattern,
            NamedLimiter limiter,
            /* Those of the route, in a map that need not be copied. */
            Map<String, Long> costs,
            RateLimitFields fields) {}

    private final Names names;
    private final List<Limits> limits;
    private final List<RequestPattern> exempt;
    private final Map<String, Function<? super HttpRequest, @Nullable String>> keys;
    private final ClientAddress clients;
    final boolean tellsGranted;
    final boolean answersProblems;
    final @Nullable String challenge;
    /* Keys that are unknown, or that failed, of which the log has a line. */
    private final Set<String> said = ConcurrentHashMap.newKeySet();

    private Routes(Builder builder) {
        names = builder.names;
        exempt = List.copyOf(builder.exempt);
        keys = Map.copyOf(builder.keys);
        clients = builder.clients;
        tellsGranted = builder.tellsGranted;
        answersProblems = builder.answersProblems;
        challenge = builder.challenge;
        limits = builder.routes.stream().map(builder::limits).toList();
        limits.forEach(this::checkKeys);
    }

    /** A builder of routes to limits with these names. */
    public static Builder builder(Names names) {
        return new Builder(names);
    }

    /** The request as its limits see it; null if it need not pass any. */
    public @Nullable LimitedRequest limited(HttpRequest request) {
        String path = request.path();
        for (RequestPattern each : exempt) {
            if (each.matches(request.method(), path)) {
                return null;
            }
        }
        for (Limits each : limits) {
            if (each.pattern.matches(request.method(), path)) {
                return new LimitedRequest(this, each, request);
            }
        }
        return null;
    }

    /** The routes, in their order. */
    public List<Route> routes() {
        return limits.stream().map(Limits::route).toList();
    }

    /**
     * The routes, one line for each with its limits and their settings now, then one with the paths that are exempt, such as {@code
     * "POST /orders: checkout (concurrency 20), per-client (key ip, rate 5/s, costs 2)"}.
     */
    public List<String> describe() {
        List<String> lines = new ArrayList<>();
        for (Limits each : limits) {
            lines.add(each.route.path() + ": "
                    + each.route.costs().entrySet().stream()
                            .map(cost -> describe(cost.getKey(), cost.getValue()))
                            .collect(Collectors.joining(", ")));
        }
        if (!exempt.isEmpty()) {
            lines.add("exempt: " + exempt.stream().map(RequestPattern::toString).collect(Collectors.joining(", ")));
        }
        return lines;
    }

    private String describe(String limit, long cost) {
        return limit + " (" + names.explain(limit).settings() + (cost == 1 ? "" : ", costs " + cost) + ")";
    }

    /** Null if the request has none: also where a function has failed, and where a later document has an unknown key. */
    @Nullable
    String dimension(String name, PathPattern pattern, HttpRequest request) {
        String value = value(name, pattern, request);
        return value == null ? null : HttpText.key(value);
    }

    private @Nullable String value(String name, PathPattern pattern, HttpRequest request) {
        Function<? super HttpRequest, @Nullable String> key = keys.get(name);
        if (key != null) {
            try {
                return key.apply(request);
            } catch (RuntimeException e) {
                say("The key " + name + " counts as missing where its function fails", name, e);
                return null;
            }
        }
        if (pattern.names().contains(name)) {
            return pattern.segment(request.path(), name);
        }
        return switch (name) {
            case "ip" -> clients.key(request.peer(), request::header);
            case USER -> request.user();
            case "path" -> request.path();
            case "method" -> request.method();
            default -> {
                say(
                        "A limit before " + pattern + " counts by " + name
                                + ", which is no key of the routes: it refuses all requests",
                        name,
                        null);
                yield null;
            }
        };
    }

    /* Once for each name. Documents choose the names, so there is a bound. */
    private void say(String line, String name, @Nullable Throwable thrown) {
        if (said.size() < MAX_SAID && said.add(name)) {
            LOG.log(Level.WARNING, line, thrown);
        }
    }

    private void checkKeys(Limits each) {
        Set<String> known = new TreeSet<>(KNOWN);
        known.addAll(keys.keySet());
        known.addAll(each.pattern.path().names());
        for (String name : each.limiter.dimensions()) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException("key of " + each.limiter.name() + " on the route "
                        + each.route.path() + " must be one of " + known + ", was " + name + Nearest.to(name, known));
            }
        }
    }

    /** Options of the routes. Not thread-safe. */
    public static final class Builder {
        private final Names names;
        private final List<Route> routes = new ArrayList<>();
        private final List<RequestPattern> exempt = new ArrayList<>();
        private final Map<String, Function<? super HttpRequest, @Nullable String>> keys = new LinkedHashMap<>();
        private ClientAddress clients = ClientAddress.ofPeer();
        private boolean tellsGranted = true;
        private boolean answersProblems;
        private @Nullable String challenge;
        private @Nullable Reset legacy;

        private Builder(Names names) {
            this.names = Objects.requireNonNull(names, "names");
        }

        /** Adds a route after the others. */
        public Builder route(Route route) {
            routes.add(Objects.requireNonNull(route, "route"));
            return this;
        }

        /**
         * These requests pass, whatever routes there are.
         *
         * @param paths patterns as in a {@link Route}, such as {@code /health}, or {@code OPTIONS /**} for the preflight of browsers
         * @throws IllegalArgumentException if one is no pattern
         */
        public Builder exempt(String... paths) {
            Stream.of(paths).map(RequestPattern::of).forEach(exempt::add);
            return this;
        }

        /**
         * Declares what a limit may count by.
         *
         * @param name as documents say it; it may replace {@code ip}, {@code user}, {@code path} and {@code method}
         * @param of gives the value of a request, null or empty = it has none; must not block. What it throws counts as none
         */
        public Builder key(String name, Function<? super HttpRequest, @Nullable String> of) {
            keys.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(of, "of"));
            return this;
        }

        /** Finds the address of a client in this way. Default: {@link ClientAddress#ofPeer}. */
        public Builder clients(ClientAddress found) {
            clients = Objects.requireNonNull(found, "found");
            return this;
        }

        /** Tells requests that were granted what is left, or not. Default: yes. */
        public Builder tellGranted(boolean tell) {
            tellsGranted = tell;
            return this;
        }

        /**
         * Gives each answer to a refused request a body, or only those for clients that accept {@code application/problem+json}.
         * Default: only those.
         */
        public Builder problems(boolean always) {
            answersProblems = always;
            return this;
        }

        /**
         * Answers 401 with this challenge, such as {@code Bearer}, where a limit counts by the user and there is none. Default: 400,
         * because a 401 must have a challenge.
         */
        public Builder challenge(String scheme) {
            challenge = Objects.requireNonNull(scheme, "scheme");
            return this;
        }

        /** As {@link RateLimitFields.Builder#legacy}. Default: not. */
        public Builder legacy(Reset reset) {
            legacy = Objects.requireNonNull(reset, "reset");
            return this;
        }

        /**
         * Builds the routes.
         *
         * @throws IllegalArgumentException if there is no route, if the name of a limit is unknown, if a route has limits that
         *     cannot be asked together, or if a limit counts by an unknown key
         * @throws IllegalStateException if a name is unknown and the first document has not been read in time
         */
        public Routes build() {
            if (routes.isEmpty()) {
                throw new IllegalArgumentException("routes must be >= 1, were 0");
            }
            return new Routes(this);
        }

        private Limits limits(Route route) {
            NamedLimiter all = together(route.limits());
            RateLimitFields.Builder fields = RateLimitFields.builder().limiter(all);
            if (legacy != null) {
                fields.legacy(legacy, InstantSource.system());
            }
            return new Limits(route, route.pattern(), all, Map.copyOf(route.costs()), fields.build());
        }

        private NamedLimiter together(List<String> all) {
            return all.size() == 1
                    ? names.limiter(all.get(0))
                    : names.limiter(
                            all.get(0), all.get(1), all.subList(2, all.size()).toArray(String[]::new));
        }
    }
}
