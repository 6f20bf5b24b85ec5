package dev.weir.webflux.lines;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.engine.LimiterView;
import dev.weir.http.ClientAddress;
import dev.weir.http.Route;
import dev.weir.http.Routes;
import dev.weir.named.Names;
import dev.weir.named.status.RegistryObserver;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import dev.weir.webflux.WeirWebFilter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebHandler;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Mono;

/** What a client sees of the filter, and what the limits learn of its requests. */
@Tag("real-time")
class WeirWebFilterTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final WebHandler OK = exchange -> exchange.getResponse().setComplete();

    private final LimiterRegistry registry = LimiterRegistry.builder().build();
    private final HttpClient client = HttpClient.newHttpClient();
    private final List<Outcome> outcomes = new CopyOnWriteArrayList<>();
    private @Nullable NettyServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
        registry.close();
    }

    private Routes.Builder routes() {
        return Routes.builder(registry.names());
    }

    /** A limit of 2 in an hour, which counts by these. */
    private void limitBy(String key) {
        registry.limiter("orders", FixedWindow.of(2, HOUR));
        registry.override(
                "orders", "{ rate: 2/h, algorithm: fixed-window, key: [" + key + "] }", HOUR, "test", "by key");
    }

    private void serve(WebHandler handler, WebFilter... filters) {
        server = new NettyServer(List.of(filters), handler);
    }

    private HttpResponse<String> get(String path, String... fields) throws IOException, InterruptedException {
        URI uri = URI.create("http://localhost:" + (server == null ? 0 : server.port()) + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(20));
        for (int i = 0; i < fields.length; i += 2) {
            request.header(fields[i], fields[i + 1]);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String field(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    private static WebFilter user(UnaryOperator<Mono<String>> name) {
        return (exchange, chain) -> chain.filter(exchange.mutate()
                .principal(name.apply(Mono.justOrEmpty(
                                exchange.getRequest().getHeaders().getFirst("User")))
                        .map(found -> () -> found))
                .build());
    }

    private void observe(String name) {
        registry.names().observe(new RegistryObserver() {
            @Override
            public Registration onLimiter(LimiterView limiter) {
                return !limiter.name().equals(name)
                        ? () -> {}
                        : limiter.observe(new LimiterObserver() {
                            @Override
                            public void onReleased(Request request, Outcome outcome, long heldNanos) {
                                outcomes.add(outcome);
                            }
                        });
            }
        });
    }

    @Test
    void aRequestIsToldWhatIsLeftAndThenWhenToComeAgain() throws Exception {
        registry.limiter("orders", FixedWindow.of(2, HOUR));
        AtomicInteger handled = new AtomicInteger();
        serve(
                exchange -> {
                    handled.incrementAndGet();
                    return exchange.getResponse().setComplete();
                },
                new WeirWebFilter(
                        routes().route(Route.of("/orders/**", "orders")).build()));
        HttpResponse<String> first = get("/orders/1");
        assertEquals(200, first.statusCode());
        assertEquals("\"orders\";q=2;w=3600", field(first, "RateLimit-Policy"));
        assertTrue(field(first, "RateLimit").startsWith("\"orders\";r=1;"), field(first, "RateLimit"));
        assertTrue(field(get("/orders/2"), "RateLimit").startsWith("\"orders\";r=0;"));

        HttpResponse<String> refused = get("/orders/3");
        assertEquals(429, refused.statusCode());
        assertTrue(Long.parseLong(field(refused, "Retry-After")) >= 1);
        assertEquals("", refused.body());
        HttpResponse<String> problem = get("/orders/4", "Accept", "application/problem+json");
        assertEquals(429, problem.statusCode());
        assertEquals("application/problem+json", field(problem, "Content-Type"));
        assertTrue(problem.body().contains("\"orders\""), problem::body);
        assertEquals(Integer.toString(problem.body().length()), field(problem, "Content-Length"));

        assertEquals("", field(get("/other"), "RateLimit"));
        assertEquals(3, handled.get());
    }

    @Test
    void theFilterOfTheGuideGuardsItsRoutes() throws Exception {
        registry.limiter("per-client", FixedWindow.of(2, HOUR));
        registry.limiter("checkout", new Semaphore(20));
        Names names = registry.names();
        Routes routes = Routes.builder(names)
                .route(Route.of("POST /orders", "checkout", "per-client"))
                .route(Route.of("/**", "per-client"))
                .exempt("/health")
                .build();
        WebFilter limits = new WeirWebFilter(routes);
        serve(OK, limits);
        assertEquals(List.of(200, 200, 429, 200), List.of(status("/a"), status("/b"), status("/c"), status("/health")));
    }

    private int status(String path) throws Exception {
        return get(path).statusCode();
    }

    @Test
    void onlyALimitByTheUserAsksForThePrincipal() throws Exception {
        limitBy("user");
        registry.limiter("rest", FixedWindow.of(100, HOUR));
        AtomicInteger asked = new AtomicInteger();
        serve(
                OK,
                user(name -> name.doOnSubscribe(subscription -> asked.incrementAndGet())),
                new WeirWebFilter(routes().route(Route.of("/orders", "orders"))
                        .route(Route.of("/**", "rest"))
                        .challenge("Bearer")
                        .build()));
        assertEquals(200, get("/rest", "User", "ann").statusCode());
        assertEquals(0, asked.get());
        assertEquals(200, get("/orders", "User", "ann").statusCode());
        assertEquals(200, get("/orders", "User", "ann").statusCode());
        assertEquals(429, get("/orders", "User", "ann").statusCode());
        assertEquals(200, get("/orders", "User", "ben").statusCode());
        assertEquals(4, asked.get());
        HttpResponse<String> anonymous = get("/orders");
        assertEquals(401, anonymous.statusCode());
        assertEquals("Bearer", field(anonymous, "WWW-Authenticate"));
    }

    @Test
    void aPrincipalThatCannotBeFoundIsAnErrorOfTheServer() throws Exception {
        limitBy("user");
        serve(
                OK,
                user(name -> Mono.error(new IllegalStateException("made up"))),
                new WeirWebFilter(routes().route(Route.of("/**", "orders")).build()));
        assertEquals(500, get("/").statusCode());
    }

    @Test
    void theAddressOfTheClientIsThatOfThePeerOrOfAllLinesOfItsField() throws Exception {
        limitBy("ip");
        Routes.Builder route = routes().route(Route.of("/**", "orders"));
        serve(OK, new WeirWebFilter(route.build()));
        assertEquals(200, get("/", "X-Forwarded-For", "192.0.2.1").statusCode());
        assertEquals(200, get("/", "X-Forwarded-For", "192.0.2.2").statusCode());
        assertEquals(429, get("/", "X-Forwarded-For", "192.0.2.3").statusCode());
        stopServer();

        serve(OK, new WeirWebFilter(route.clients(ClientAddress.behind(2)).build()));
        String[] invented = {"X-Forwarded-For", "203.0.113.1, 192.0.2.1", "x-forwarded-for", "198.51.100.7"};
        assertEquals(200, get("/", invented).statusCode());
        invented[1] = "203.0.113.2, 192.0.2.1";
        assertEquals(200, get("/", invented).statusCode());
        invented[1] = "203.0.113.3, 192.0.2.1";
        assertEquals(429, get("/", invented).statusCode());
        invented[1] = "203.0.113.3, 192.0.2.2";
        assertEquals(200, get("/", invented).statusCode());
    }

    private void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    /* Else a client could spell the path so that the handler is found and the limit is not. */
    @Test
    void noSpellingOfAPathThatSpringMatchesPassesTheLimit() throws Exception {
        registry.limiter("orders", FixedWindow.of(1_000, HOUR));
        List<String> patterns = List.of("/orders/{id}", "/orders/*/items", "/files/**", "/{tenant}/orders");
        Routes.Builder routes = routes();
        patterns.forEach(pattern -> routes.route(Route.of(pattern, "orders")));
        serve(
                exchange -> {
                    boolean isMatched = patterns.stream()
                            .anyMatch(pattern -> PathPatternParser.defaultInstance
                                    .parse(pattern)
                                    .matches(exchange.getRequest().getPath().pathWithinApplication()));
                    exchange.getResponse().setStatusCode(isMatched ? HttpStatus.OK : HttpStatus.NOT_FOUND);
                    return exchange.getResponse().setComplete();
                },
                new WeirWebFilter(routes.build()));
        int matched = 0;
        for (String path : List.of(
                "/orders/1",
                "/orders/a%2Fb",
                "/orders/a%2Fb/items",
                "/%6Frders/1",
                "/orders;v=1/1",
                "/orders/1;a=b;c",
                "/orders/%3Bx",
                "/orders/1?x=/y",
                "/files/a//b",
                "/files",
                "/files/%2e%2e/secret",
                "/a/orders",
                "/a%20b/orders",
                "/orders/1/",
                "//orders/1",
                "/ORDERS/1",
                "/orders/%25")) {
            HttpResponse<String> response = get(path);
            if (response.statusCode() == 200) {
                matched++;
                assertNotEquals("", field(response, "RateLimit"), path);
            }
        }
        assertTrue(matched >= 12, "matched " + matched);
    }

    @Test
    void theStatusOfTheAnswerIsTheOutcome() throws Exception {
        registry.limiter("orders", new Semaphore(5));
        observe("orders");
        serve(
                exchange -> {
                    int status = Integer.parseInt(
                            exchange.getRequest().getPath().value().substring("/orders/".length()));
                    return exchange.getRequest().getHeaders().getFirst("Thrown") == null
                            ? answered(exchange, status)
                            : Mono.error(new ResponseStatusException(HttpStatus.valueOf(status)));
                },
                new WeirWebFilter(
                        routes().route(Route.of("/orders/*", "orders")).build()));
        List<Integer> statuses = List.of(200, 404, 408, 500, 502, 503, 504);
        for (int status : statuses) {
            assertEquals(status, get("/orders/" + status).statusCode());
            assertEquals(status, get("/orders/" + status, "Thrown", "yes").statusCode());
        }
        await().until(() -> outcomes.size() == 2 * statuses.size());
        assertEquals(
                Stream.of(
                                Outcome.SUCCESS,
                                Outcome.SUCCESS,
                                Outcome.IGNORED,
                                Outcome.IGNORED,
                                Outcome.DROPPED,
                                Outcome.DROPPED,
                                Outcome.DROPPED)
                        .flatMap(each -> Stream.of(each, each))
                        .toList(),
                outcomes);
    }

    private static Mono<Void> answered(ServerWebExchange exchange, int status) {
        exchange.getResponse().setStatusCode(HttpStatus.valueOf(status));
        return exchange.getResponse().setComplete();
    }

    @Test
    void whereALimitInsideRefusesTheOneBeforeItLearnsNothing() throws Exception {
        registry.limiter("outer", new Semaphore(5));
        observe("outer");
        registry.limiter("inner", FixedWindow.of(1, HOUR));
        serve(
                exchange -> Mono.error(new LimitExceededException(new Rejection("last", Reason.CONCURRENCY, 0, 1))),
                new WeirWebFilter(routes().route(Route.of("/**", "outer")).build()),
                new WeirWebFilter(routes().route(Route.of("/**", "inner")).build()));
        assertEquals(500, get("/").statusCode());
        assertEquals(429, get("/").statusCode());
        await().until(() -> outcomes.size() == 2);
        assertEquals(List.of(Outcome.IGNORED, Outcome.IGNORED), outcomes);
    }

    @Test
    void aResponseThatIsCommittedAlreadyIsLeftAsItIs() throws Exception {
        registry.limiter("orders", FixedWindow.of(1, HOUR));
        serve(
                exchange -> Mono.empty(),
                (exchange, chain) -> exchange.getResponse().setComplete().then(chain.filter(exchange)),
                new WeirWebFilter(routes().route(Route.of("/**", "orders")).build()));
        assertEquals(200, get("/").statusCode());
        assertEquals(200, get("/").statusCode());
    }

    @Test
    void theLogHasEachRouteOnce() {
        registry.limiter("orders", new Semaphore(1));
        Logger log = Logger.getLogger(WeirWebFilter.class.getName());
        List<String> lines = new ArrayList<>();
        log.setFilter(line -> !lines.add(line.getMessage()));
        try {
            new WeirWebFilter(routes().route(Route.of("/orders", "orders"))
                    .route(Route.of("/**", "orders"))
                    .build());
            assertEquals(
                    List.of("/orders: orders (limit Semaphore[limit=1])", "/**: orders (limit Semaphore[limit=1])"),
                    lines);
        } finally {
            log.setFilter(null);
        }
    }

    @Test
    void nullIsRefused() {
        assertThrows(NullPointerException.class, () -> new WeirWebFilter(null));
    }

    /* Reactor sends no signal of such an Error, but throws it to the caller of subscribe. */
    @Test
    void aHandlerWhoseClassCannotBeLoadedDoesNotLeaveItsClientWaiting() throws Exception {
        registry.limiter("orders", new Semaphore(1));
        serve(
                exchange -> {
                    throw new NoClassDefFoundError("of the test");
                },
                new WeirWebFilter(routes().route(Route.of("/**", "orders")).build()));
        assertEquals(500, get("/orders").statusCode());
        assertEquals(0, registry.limiter("orders").snapshot().inFlight());
        assertEquals(500, get("/orders").statusCode());
    }

    @Test
    void aPrincipalWithoutANameIsNoUser() throws Exception {
        limitBy("user");
        WebFilter nameless = (exchange, chain) ->
                chain.filter(exchange.mutate().principal(Mono.just(() -> null)).build());
        serve(
                OK,
                nameless,
                new WeirWebFilter(routes().route(Route.of("/**", "orders")).build()));
        assertEquals(400, get("/orders").statusCode());
    }

    /** An exception that cannot say its status. */
    private static final class Unreadable extends RuntimeException implements ErrorResponse {
        private static final long serialVersionUID = 1L;

        @Override
        public HttpStatusCode getStatusCode() {
            throw new IllegalStateException("of the test");
        }

        @Override
        public ProblemDetail getBody() {
            throw new IllegalStateException("of the test");
        }
    }

    @Test
    void nothingThatThrowsBeforeTheReleaseLosesThePermit() throws Exception {
        registry.limiter("orders", new Semaphore(1));
        observe("orders");
        WebFilter answers = (exchange, chain) -> chain.filter(exchange)
                .onErrorResume(thrown -> exchange.getResponse().setComplete());
        serve(
                exchange -> Mono.error(new Unreadable()),
                answers,
                new WeirWebFilter(routes().route(Route.of("/**", "orders")).build()));
        assertEquals(200, get("/orders").statusCode());
        assertEquals(0, registry.limiter("orders").snapshot().inFlight());
        assertEquals(List.of(Outcome.IGNORED), outcomes);
    }
}
