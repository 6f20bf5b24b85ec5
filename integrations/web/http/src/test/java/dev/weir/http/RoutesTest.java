package dev.weir.http;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.config.LimiterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RoutesTest {
    private static final String LIMITS = """
            limits:
              all:
                concurrency: 2
              client:
                rate: 1/h
                key: ip
              user:
                rate: 1/h
                key: user
              shop:
                rate: 1/h
                key: [shop, tenant]
            """;

    private final ChangingDocument document = new ChangingDocument(LIMITS);
    private final LimiterRegistry registry = LimiterRegistry.of(document);

    @AfterEach
    void close() {
        registry.close();
    }

    private Routes.Builder routes(String path, String... limits) {
        return Routes.builder(registry.names()).route(Route.of(path, limits));
    }

    private static LimitedRequest limited(Routes routes, HttpRequest request) {
        return Objects.requireNonNull(routes.limited(request));
    }

    /* Limits keep their keys, and clients may send long ones: many of them would fill the memory. */
    @Test
    void aLongKeyIsCountedByItsDigest() throws InterruptedException {
        Routes routes = routes("/{shop}/**", "shop")
                .key(
                        "tenant",
                        request -> request.header("Tenant").stream().findFirst().orElse(null))
                .build();
        String tenant = "t".repeat(300);
        List<String> asked = new ArrayList<>();
        for (String each : List.of(tenant, tenant + "2", "t".repeat(256))) {
            ServedRequest request = ServedRequest.get("/berlin/1").with("Tenant", each);
            assertInstanceOf(Permit.class, ask(routes, request));
            Rejection refused = assertInstanceOf(Rejection.class, ask(routes, request));
            assertEquals(Reason.RATE, refused.reason());
            asked.add(routes.dimension("tenant", PathPattern.of("/**"), request));
        }
        assertEquals("t".repeat(64) + "~0afa5eb0871c38e7", asked.get(0).substring(0, 81));
        assertEquals(129, asked.get(0).length());
        assertEquals(asked.get(0).substring(0, 65), asked.get(1).substring(0, 65));
        assertEquals("t".repeat(256), asked.get(2));
    }

    @Test
    void aRouteOfGetIsOneOfHeadToo() {
        Routes routes = Routes.builder(registry.names())
                .route(Route.of("GET /orders", "all"))
                .route(Route.of("POST /orders", "client"))
                .build();
        ServedRequest get = ServedRequest.get("/orders");
        assertEquals("GET /orders", limited(routes, get.by("HEAD")).route().path());
        assertEquals("POST /orders", limited(routes, get.by("POST")).route().path());
        assertNull(routes.limited(get.by("PUT")));
    }

    private static Decision ask(Routes routes, HttpRequest request) throws InterruptedException {
        return limited(routes, request).acquire();
    }

    private static Reason refused(Routes routes, HttpRequest request) throws InterruptedException {
        return assertInstanceOf(Rejection.class, ask(routes, request)).reason();
    }

    @Test
    void theFirstRouteThatFitsIsTheRoute() {
        Routes routes = Routes.builder(registry.names())
                .route(Route.of("POST /orders", "all"))
                .route(Route.of("/orders/**", "client"))
                .exempt("/orders/health", "/static/**", "OPTIONS /**")
                .build();
        assertEquals(
                "/orders/**",
                limited(routes, ServedRequest.get("/orders")).route().path());
        assertEquals(
                "POST /orders",
                limited(routes, new ServedRequest("POST", "/orders", null, null, Map.of()))
                        .route()
                        .path());
        assertNull(routes.limited(ServedRequest.get("/other")));
        assertNull(routes.limited(ServedRequest.get("/orders/health")));
        assertNull(routes.limited(ServedRequest.get("/static/a/b")));
        assertNotNull(routes.limited(ServedRequest.get("/orders/health/x")));
        assertNull(routes.limited(ServedRequest.get("/orders").by("OPTIONS")));
        assertEquals(
                List.of("POST /orders", "/orders/**"),
                routes.routes().stream().map(Route::path).toList());
    }

    @Test
    void eachClientHasALimitOfItsOwn() throws Exception {
        Routes routes = routes("/**", "client").build();
        assertInstanceOf(Permit.class, ask(routes, ServedRequest.get("/")));
        assertEquals(Reason.RATE, refused(routes, ServedRequest.get("/")));
        assertInstanceOf(Permit.class, ask(routes, ServedRequest.get("/").from("192.0.2.2")));
        assertEquals(Reason.RATE, refused(routes, ServedRequest.get("/").with("X-Forwarded-For", "192.0.2.3")));
    }

    @Test
    void behindAProxyTheClientIsTheHopBeforeIt() throws Exception {
        Routes routes = routes("/**", "client").clients(ClientAddress.behind(1)).build();
        assertInstanceOf(Permit.class, ask(routes, ServedRequest.get("/").with("X-Forwarded-For", "192.0.2.3")));
        assertInstanceOf(Permit.class, ask(routes, ServedRequest.get("/").with("X-Forwarded-For", "192.0.2.4")));
        assertEquals(Reason.RATE, refused(routes, ServedRequest.get("/").with("X-Forwarded-For", "192.0.2.3")));
    }

    @Test
    void aSegmentAndADeclaredKeyAreCountedTogether() throws Exception {
        Routes routes = routes("/shops/{shop}", "shop")
                .key(
                        "tenant",
                        request ->
                                request.header("X-Tenant").stream().findFirst().orElse(null))
                .build();
        ServedRequest north = ServedRequest.get("/shops/north");
        assertInstanceOf(Permit.class, ask(routes, north.with("X-Tenant", "a")));
        assertInstanceOf(Permit.class, ask(routes, north.with("X-Tenant", "b")));
        assertInstanceOf(
                Permit.class, ask(routes, ServedRequest.get("/shops/south").with("X-Tenant", "a")));
        assertEquals(Reason.RATE, refused(routes, north.with("X-Tenant", "a")));
        assertEquals(Reason.KEY_MISSING, refused(routes, north));
    }

    @Test
    void aDeclaredKeyReplacesAWordAndItsFailureCountsAsNone() throws Exception {
        Routes routes = routes("/**", "user")
                .key("user", request -> {
                    throw new IllegalStateException("of the test");
                })
                .build();
        assertEquals(Reason.KEY_MISSING, refused(routes, ServedRequest.get("/").as("ada")));
    }

    @Test
    void severalLimitsGrantAllOrNothing() throws Exception {
        Routes routes = routes("/**", "all", "client").build();
        assertInstanceOf(Permit.class, ask(routes, ServedRequest.get("/")));
        assertEquals(Reason.RATE, refused(routes, ServedRequest.get("/")));
        assertEquals(1, registry.limiter("all").snapshot().inFlight());
        assertInstanceOf(Permit.class, ask(routes, ServedRequest.get("/").from("192.0.2.2")));
        assertEquals(Reason.CONCURRENCY, refused(routes, ServedRequest.get("/").from("192.0.2.3")));
    }

    @Test
    void aRequestMayCostMore() throws Exception {
        Routes routes = Routes.builder(registry.names())
                .route(Route.of("/**", "all").costing("all", 2))
                .build();
        assertInstanceOf(Permit.class, ask(routes, ServedRequest.get("/")));
        assertEquals(2, registry.limiter("all").snapshot().inFlight());
        assertEquals(Reason.CONCURRENCY, refused(routes, ServedRequest.get("/")));
    }

    @Test
    void withoutTheUserTheAnswerIs401WithAChallengeElse400() throws Exception {
        for (boolean challenges : new boolean[] {true, false}) {
            Routes.Builder builder = routes("/**", "user");
            Routes routes = (challenges ? builder.challenge("Bearer") : builder).build();
            LimitedRequest request = limited(routes, ServedRequest.get("/"));
            HttpRejection rejected = request.answer((Rejection) request.acquire());
            assertEquals(challenges ? 401 : 400, rejected.status());
            assertEquals(challenges ? "Bearer" : null, rejected.fields().get("WWW-Authenticate"));
            assertNull(rejected.fields().get("Retry-After"));
        }
    }

    @Test
    void aMissingKeyThatIsNotTheUserIs400AlsoWithAChallenge() throws Exception {
        Routes routes = routes("/shops/{shop}", "shop")
                .key("tenant", request -> null)
                .challenge("Bearer")
                .build();
        LimitedRequest request = limited(routes, ServedRequest.get("/shops/north"));
        assertEquals(400, request.answer((Rejection) request.acquire()).status());
    }

    @Test
    void aRefusedRequestHasItsFieldsAndABodyForThoseWhoAcceptIt() throws Exception {
        Routes routes = routes("/**", "client").build();
        ask(routes, ServedRequest.get("/"));
        HttpRejection plain = rejected(routes, ServedRequest.get("/").with("Accept", "*/*"));
        assertEquals(429, plain.status());
        assertEquals("\"client\";r=0;t=3600", plain.fields().get("RateLimit"));
        assertNotNull(plain.fields().get("Retry-After"));
        assertNull(plain.body());
        HttpRejection problem =
                rejected(routes, ServedRequest.get("/").with("Accept", "application/json, Application/Problem+JSON"));
        assertEquals(
                "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\",\"title\":\"The request cannot be"
                        + " satisfied because the assigned quota is exceeded\",\"status\":429,\"violated-policies\":[\"client\"]}",
                problem.body());
        assertNotNull(rejected(routes("/**", "client").problems(true).build(), ServedRequest.get("/"))
                .body());
    }

    private static HttpRejection rejected(Routes routes, HttpRequest http) throws InterruptedException {
        LimitedRequest request = limited(routes, http);
        return request.answer(assertInstanceOf(Rejection.class, request.acquire()));
    }

    @Test
    void aGrantedRequestIsToldWhatIsLeftUnlessSwitchedOff() throws Exception {
        for (boolean tells : new boolean[] {true, false}) {
            Routes routes = routes("/**", "client").tellGranted(tells).build();
            LimitedRequest request = limited(routes, ServedRequest.get("/").from("192.0.2." + (tells ? 8 : 9)));
            Map<String, String> fields = new TreeMap<>();
            request.write((Permit) request.acquire(), fields::put);
            assertEquals(tells ? "\"client\";r=0;t=3600" : null, fields.get("RateLimit"));
        }
    }

    @Test
    void whatCannotWorkIsRefusedAtTheStart() {
        assertRefused("routes must be >= 1, were 0", Routes.builder(registry.names()));
        assertRefused(
                "key of shop on the route /shops/{shopp} must be one of [ip, method, path, shopp, tenant, user], was shop;"
                        + " did you mean shopp?",
                routes("/shops/{shopp}", "shop").key("tenant", request -> "a"));
        IllegalArgumentException unknown = assertThrows(
                IllegalArgumentException.class, () -> routes("/**", "cleint").build());
        assertEquals(true, String.valueOf(unknown.getMessage()).contains("cleint"), unknown::toString);
    }

    private static void assertRefused(String message, Routes.Builder routes) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, routes::build).getMessage());
    }

    @Test
    void aLaterDocumentThatCountsByAnUnknownKeyRefusesAndSaysSoOnce() throws Exception {
        Routes routes = routes("/**", "client").build();
        List<String> log = new ArrayList<>();
        Logger logger = Logger.getLogger(Routes.class.getName());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                log.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        try {
            document.write(LIMITS.replace("key: ip", "key: device"));
            await().until(() -> refused(routes, ServedRequest.get("/").from("192.0.2.7")) == Reason.KEY_MISSING);
            assertEquals(
                    Reason.KEY_MISSING, refused(routes, ServedRequest.get("/").from("192.0.2.8")));
            assertEquals(
                    List.of(
                            "A limit before /** counts by device, which is no key of the routes: it refuses all requests"),
                    log);
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
    }

    @Test
    void theRoutesSayWhatTheyLimitByWhat() {
        Routes routes = Routes.builder(registry.names())
                .route(Route.of("POST /shops/{shop}", "all", "shop").costing("shop", 5))
                .route(Route.of("/**", "client"))
                .key("tenant", request -> "a")
                .exempt("/health")
                .build();
        assertEquals(
                List.of(
                        "POST /shops/{shop}: all (concurrency 2), shop (key[0] shop, key[1] tenant, rate 1/h, costs 5)",
                        "/**: client (key ip, rate 1/h)",
                        "exempt: /health"),
                routes.describe());
    }
}
