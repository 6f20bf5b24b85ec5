package dev.weir.console;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.weir.Ticker;
import dev.weir.console.Sessions.Session;
import dev.weir.internal.Workers;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The server of the page: who may ask, and how long it may take. What is answered is of {@link ConsolePages}. Each request is checked
 * in this order: its host, its method, where it comes from, the session, and only then is a body read.
 */
final class ConsoleServer implements HttpHandler, AutoCloseable {
    private static final int MAX_BODY = 64 * 1024;
    private static final long PREVIEW_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final String SESSION = "api/session";
    private static final String STREAM = "api/stream";

    private final ConsolePages pages;
    private final Sessions sessions;
    private final Logins logins;
    private final Streams streams;
    private final Sampling sampling;
    private final Watch watch;
    private final RequestThreads threads;
    private final HttpServer server;
    private final RequestRules rules;
    private final String cookie;

    /** Binds the address. A request, or a frame of a stream, may take so long. Nothing is answered before {@link #start}. */
    ConsoleServer(
            InetSocketAddress address,
            Set<String> hosts,
            ConsolePages pages,
            List<AccessToken> tokens,
            Ticker ticker,
            long limitNanos)
            throws IOException {
        this.pages = pages;
        sessions = new Sessions(tokens, ticker);
        logins = new Logins(sessions, ticker);
        server = HttpServer.create(address, 0);
        rules = new RequestRules(server.getAddress().getPort(), hosts);
        // A cookie is sent to all ports of a host.
        cookie = "weir-console-" + server.getAddress().getPort();
        watch = new Watch();
        threads = new RequestThreads(watch, ticker, limitNanos);
        streams = new Streams(pages.board(), watch, limitNanos);
        sampling = pages.sampling();
        pages.onSample(streams::publish);
        server.setExecutor(threads);
        server.createContext("/", this);
    }

    /** Its thread is a daemon, as the one that starts it. */
    void start() {
        CompletableFuture.runAsync(
                        server::start,
                        work -> Workers.thread("weir-console-start", work).start())
                .join();
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try {
            Answer answer;
            try {
                answer = answer(exchange);
            } catch (IOException e) {
                throw e;
            } catch (Throwable t) { // code of others may throw an error, too
                answer = ConsolePages.failed(t);
            }
            if (answer != null) {
                threads.answering();
                write(exchange, answer);
            }
        } catch (Error e) {
            // The server closes a connection for an exception only.
            throw new IOException("the request cannot be answered", e);
        }
    }

    private static void write(HttpExchange exchange, Answer answer) throws IOException {
        Headers headers = exchange.getResponseHeaders();
        answer.headers().forEach(headers::set);
        if (answer.status() != 200) {
            headers.set("Connection", "close");
        }
        // What is thrown here has the server close the connection.
        if (exchange.getRequestMethod().equals("HEAD") || answer.length() == 0) {
            exchange.sendResponseHeaders(answer.status(), -1);
        } else {
            exchange.sendResponseHeaders(answer.status(), answer.length());
            answer.writeTo(exchange.getResponseBody());
            // To close it would first wait for a part of a body that nobody reads.
            exchange.getResponseBody().flush();
        }
        exchange.close();
    }

    /* Null = a stream has answered. */
    private @Nullable Answer answer(HttpExchange exchange) throws IOException {
        Headers headers = exchange.getRequestHeaders();
        URI target = exchange.getRequestURI();
        String wrongHost = rules.wrongHost(headers, target);
        if (wrongHost != null) {
            return Answer.problems(421, wrongHost);
        }
        String path = String.valueOf(target.getRawPath()).replaceFirst("^/", "");
        String method = exchange.getRequestMethod();
        Answer notAllowed = ConsolePages.notAllowed(method, path);
        if (notAllowed != null) {
            return notAllowed;
        }
        if (!path.startsWith("api/")) {
            return pages.answer(method, path, null, new byte[0], "", false);
        }
        boolean changes = !method.equals("GET");
        String foreign = rules.foreign(headers, changes);
        if (foreign != null) {
            return Answer.problems(403, foreign);
        }
        if (changes && !RequestRules.isJson(headers)) {
            return Answer.problems(415, "Content-Type must be application/json");
        }
        Session session = sessions.find(RequestRules.cookie(headers, cookie));
        if (path.equals(SESSION)) {
            return changes ? login(exchange) : ConsolePages.session(session);
        }
        if (session == null) {
            return Answer.problems(401, "a token must be given first");
        }
        if (changes && !session.isCheck(headers.getFirst("X-Weir-Token"))) {
            return Answer.problems(403, "X-Weir-Token must be the check of the session");
        }
        if (path.equals(STREAM)) {
            return stream(exchange, session);
        }
        byte[] body = changes ? body(exchange) : new byte[0];
        if (body == null) {
            return tooLarge();
        }
        if (path.equals(ConsolePages.PREVIEW)) {
            threads.renew(PREVIEW_NANOS);
        }
        AccessToken token = session.token();
        return pages.answer(method, path, target.getRawQuery(), body, token.name(), token.mayWrite());
    }

    private Answer login(HttpExchange exchange) throws IOException {
        byte[] body = body(exchange);
        if (body == null) {
            return tooLarge();
        }
        String token;
        try {
            token = PostedFields.of(body, List.of("token")).text("token", MAX_BODY);
        } catch (IllegalArgumentException e) {
            return Answer.problems(400, String.valueOf(e.getMessage()));
        }
        String from = exchange.getRemoteAddress().getAddress().getHostAddress();
        return logins.answer(
                token,
                from,
                session -> ConsolePages.session(session)
                        .with("Set-Cookie", cookie + "=" + session.id() + "; HttpOnly; SameSite=Strict; Path=/"));
    }

    private @Nullable Answer stream(HttpExchange exchange, Session session) throws IOException {
        Headers headers = exchange.getResponseHeaders();
        Answer.SAFE.forEach(headers::set);
        headers.set("Content-Type", "text/event-stream");
        headers.set("Connection", "close");
        return streams.serve(exchange, sampling, threads, () -> sessions.find(session.id()) != null)
                ? null
                : Answer.problems(503, "streams must be at most " + Streams.MOST + ": api/rows tells the same")
                        .with("Retry-After", "10");
    }

    /* Null = it is too large; then no more of it is read. */
    private static byte @Nullable [] body(HttpExchange exchange) throws IOException {
        String length = exchange.getRequestHeaders().getFirst("Content-Length");
        if (length != null && Long.parseLong(length) > MAX_BODY) {
            return null;
        }
        InputStream in = exchange.getRequestBody();
        byte[] body = in.readNBytes(MAX_BODY + 1);
        return body.length > MAX_BODY ? null : body;
    }

    private static Answer tooLarge() {
        return Answer.problems(413, "body must have at most " + MAX_BODY + " bytes");
    }

    /** Ends streams and requests, then the server: it would wait for them. */
    @Override
    public void close() {
        streams.close();
        threads.interruptAll();
        boolean isInterrupted = Thread.interrupted();
        try {
            streams.awaitEnd();
        } catch (InterruptedException e) {
            isInterrupted = true;
        }
        server.stop(0);
        threads.close();
        watch.close();
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
