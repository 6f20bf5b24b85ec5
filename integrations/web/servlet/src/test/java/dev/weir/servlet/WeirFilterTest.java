package dev.weir.servlet;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.http.Route;
import dev.weir.http.Routes;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests through the filter in a container, as a client sees them. */
@Tag("real-time")
class WeirFilterTest {
    private final Recorded limits = new Recorded();
    private @Nullable TestContainer container;

    /** Answers "secret" at one path, and 404 at others. */
    private static final class Secret extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response)
                throws IOException, ServletException {
            String path = request.getServletPath() + request.getPathInfo();
            switch (path) {
                case "/admin/secret" -> response.getWriter().print("secret");
                case "/forward" -> request.getRequestDispatcher("/admin/secret").forward(request, response);
                case "/upload" -> request.getInputStream().readAllBytes();
                default -> response.sendError(404);
            }
        }
    }

    private void start(Routes.Builder routes, Filter... before) throws Exception {
        Filter[] filters = new Filter[before.length + 1];
        System.arraycopy(before, 0, filters, 0, before.length);
        filters[before.length] = new WeirFilter(routes.build());
        container = TestContainer.started(new Secret(), filters);
    }

    private Routes.Builder routes(String path, String... names) {
        return Routes.builder(limits.names()).route(Route.of(path, names));
    }

    @AfterEach
    void stop() throws Exception {
        if (container != null) {
            container.stop();
        }
        limits.close();
    }

    private String send(String head, String body) throws IOException {
        assertNotNull(container);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), container.port())) {
            String text = head.replace("\n", "\r\n") + "\r\n" + body;
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private String get(String path, String... headers) throws IOException {
        String more = headers.length == 0 ? "" : String.join("\n", headers) + "\n";
        return send("GET " + path + " HTTP/1.1\nHost: localhost\nConnection: close\n" + more, "");
    }

    private static int status(String answer) {
        return Integer.parseInt(answer.split(" ", 3)[1]);
    }

    private static boolean has(String answer, String field) {
        return answer.toLowerCase(Locale.ROOT).contains("\r\n" + field.toLowerCase(Locale.ROOT));
    }

    @Test
    void aRefusalHasStatusFieldsAndTheBodyThatIsAccepted() throws Exception {
        start(routes("/**", "clients"));
        String granted = get("/admin/secret");
        assertEquals(200, status(granted), granted);
        assertTrue(has(granted, "RateLimit: \"clients\";r=0"), granted);
        String refused = get("/admin/secret", "Accept: application/problem+json");
        assertEquals(429, status(refused), refused);
        assertTrue(has(refused, "Retry-After: "), refused);
        assertTrue(has(refused, "Content-Type: application/problem+json"), refused);
        assertTrue(refused.endsWith("\"status\":429,\"violated-policies\":[\"clients\"]}"), refused);
        String bare = get("/admin/secret");
        assertEquals(429, status(bare), bare);
        assertTrue(bare.endsWith("\r\n\r\n"), bare);
    }

    @Test
    void theUserIsThatOfTheContainer() throws Exception {
        Filter signedIn = (request, response, chain) -> {
            HttpServletRequest http = (HttpServletRequest) request;
            chain.doFilter(
                    new HttpServletRequestWrapper(http) {
                        @Override
                        public @Nullable Principal getUserPrincipal() {
                            String name = http.getHeader("X-Name");
                            return name == null ? null : () -> name;
                        }
                    },
                    response);
        };
        start(routes("/**", "users").challenge("Basic realm=\"shop\""), signedIn);
        assertEquals(200, status(get("/admin/secret", "X-Name: ada")));
        assertEquals(200, status(get("/admin/secret", "X-Name: bob")));
        assertEquals(429, status(get("/admin/secret", "X-Name: ada")));
        String anonymous = get("/admin/secret");
        assertEquals(401, status(anonymous), anonymous);
        assertTrue(has(anonymous, "WWW-Authenticate: Basic realm=\"shop\""), anonymous);
    }

    /** However the path is written, it is refused, or the container does not take it for that of the servlet. */
    @Test
    void noWayOfWritingThePathPassesTheLimit() throws Exception {
        start(routes("/admin/secret", "closed"));
        assertTrue(limits.registry.limiter("closed").tryAcquire() instanceof Permit);
        for (String path : List.of(
                "/admin/secret",
                "/admin/secret/",
                "//admin/secret",
                "/admin//secret",
                "/admin/secret;x=1",
                "/admin;x=1/secret",
                "/;/admin/secret",
                "/admin/%73ecret",
                "/%61dmin/secret",
                "/admin%2Fsecret",
                "/admin/secret%2F",
                "/admin/%2e/secret",
                "/x/%2e%2e/admin/secret",
                "/x/../admin/secret",
                "/admin/./secret",
                "/admin/secret?x=1",
                "/ADMIN/secret",
                "/admin/secret%00",
                "/admin/secret%20",
                "/admin\\secret",
                "http://localhost/admin/secret")) {
            String answer = get(path);
            assertTrue(List.of(429, 404, 400).contains(status(answer)), () -> path + ": " + answer);
        }
        assertEquals(429, status(get("/admin/secret;x=1")));
        assertEquals(400, status(get("/x/../admin/secret")));
        assertEquals(429, status(get("/%61dmin/secret")));
    }

    /* The container takes them all for paths in /open; Spring MVC takes the first ones for paths in /admin. */
    @Test
    void aPathThatReadersResolveInDifferentWaysIsRefused() throws Exception {
        start(routes("/admin/**", "closed"));
        for (String path : List.of(
                "/admin/../open",
                "/admin/%2e%2E/open",
                "/admin/.%2e;x=1/open",
                "/admin/..;/open",
                "/open/.",
                "/./open",
                "/open/x/..")) {
            assertEquals(400, status(get(path)), path);
        }
        for (String path : List.of("/open/.well-known/..x", "/open/...", "/open/a.b", "/open/x?y=/../", "/open/%2ex")) {
            assertEquals(404, status(get(path)), path);
        }
    }

    @Test
    void aForwardIsNotAskedForAgain() throws Exception {
        start(routes("/**", "calls"));
        assertEquals(200, status(get("/forward")));
        await().until(() -> limits.outcomes.size() == 1);
        assertEquals(0, limits.inFlight());
    }

    @Test
    void aSlowUploadSaysNothingAboutLoad() throws Exception {
        start(routes("/**", "calls"));
        String head = "POST /upload HTTP/1.1\nHost: localhost\nConnection: close\nContent-Length: 10\n";
        send(head, "1234");
        await().until(() -> limits.outcomes.size() == 1);
        assertEquals(List.of(Outcome.IGNORED), limits.outcomes);
    }

    @Test
    void aBrokenUploadSaysNothingAboutLoad() throws Exception {
        start(routes("/**", "calls"));
        assertNotNull(container);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), container.port())) {
            String text = "POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n1234";
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
            await().until(() -> limits.inFlight() == 1);
            socket.setSoLinger(true, 0);
        }
        await().until(() -> limits.outcomes.size() == 1);
        assertEquals(List.of(Outcome.IGNORED), limits.outcomes);
    }
}
