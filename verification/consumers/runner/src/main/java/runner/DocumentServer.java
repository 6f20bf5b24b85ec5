package runner;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Documents by path, as they were PUT. What begins with {@code /v1/kv/} is answered as Consul documents it, {@code /configs/} and
 * {@code /notifications/v2} as Apollo does. Thread-safe.
 */
final class DocumentServer implements AutoCloseable {
    private static final long HOLD_MILLIS = 10_000;
    private static final String APOLLO = "/configs/weir/default/";
    private static final Pattern KNOWN =
            Pattern.compile("\"namespaceName\":\"([^\"]+)\",\"notificationId\":(-?[0-9]+)");

    private record Document(long version, String text) {}

    private final Map<String, Document> documents = new HashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private long version;

    DocumentServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    String uri() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            if (exchange.getRequestMethod().equals("PUT")) {
                put(path, new String(exchange.getRequestBody().readAllBytes(), UTF_8));
                answer(exchange, "true");
            } else if (path.equals("/notifications/v2")) {
                answer(exchange, notifications(exchange.getRequestURI().getRawQuery()));
            } else if (path.startsWith(APOLLO)) {
                answer(exchange, config(path));
            } else if (path.startsWith("/v1/kv/")) {
                answer(exchange, key(path, exchange));
            } else {
                answer(exchange, document(path).text());
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void put(String path, String text) {
        documents.put(path, new Document(++version, text));
        notifyAll();
    }

    private synchronized Document document(String path) {
        return documents.getOrDefault(path, new Document(0, ""));
    }

    private synchronized Document awaitOther(String path, long known) throws InterruptedException {
        if (document(path).version() == known) {
            wait(HOLD_MILLIS);
        }
        return document(path);
    }

    private String key(String path, HttpExchange exchange) throws InterruptedException {
        Matcher index = Pattern.compile("index=([0-9]+)")
                .matcher("" + exchange.getRequestURI().getQuery());
        Document document = awaitOther(path, index.find() ? Long.parseLong(index.group(1)) : -1);
        exchange.getResponseHeaders().set("X-Consul-Index", "" + document.version());
        String value = Base64.getEncoder().encodeToString(document.text().getBytes(UTF_8));
        return "[{\"Key\":\"k\",\"Flags\":0,\"Value\":\"" + value + "\",\"ModifyIndex\":" + document.version() + "}]";
    }

    private String config(String path) {
        Document document = document(path);
        String name = path.substring(APOLLO.length());
        return "{\"appId\":\"weir\",\"cluster\":\"default\",\"namespaceName\":\"" + name
                + "\",\"configurations\":{\"content\":\"" + document.text() + "\"},\"releaseKey\":\""
                + document.version()
                + "\"}";
    }

    /* A client asks for all of its namespaces; it has one here. */
    private String notifications(String query) throws InterruptedException {
        Matcher known = KNOWN.matcher(URLDecoder.decode(query, UTF_8));
        if (!known.find()) {
            return "";
        }
        long before = Long.parseLong(known.group(2));
        Document now = awaitOther(APOLLO + known.group(1), before);
        return now.version() == before
                ? ""
                : "[{\"namespaceName\":\"" + known.group(1) + "\",\"notificationId\":" + now.version() + "}]";
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] bytes = text.getBytes(UTF_8);
        exchange.sendResponseHeaders(bytes.length == 0 ? 304 : 200, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
