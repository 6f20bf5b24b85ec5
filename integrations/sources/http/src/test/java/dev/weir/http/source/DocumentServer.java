package dev.weir.http.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A real HTTP server of one document, which tells its ETag and can wait for a change. */
final class DocumentServer implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "document-server");
        thread.setDaemon(true);
        return thread;
    });
    private byte[] content;
    private int version;

    /** The headers of each request. */
    final List<Map<String, List<String>>> requests = new CopyOnWriteArrayList<>();

    final List<String> queries = new CopyOnWriteArrayList<>();

    DocumentServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 50);
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    synchronized void set(byte[] content) {
        this.content = content;
        version++;
        notifyAll();
    }

    /** As other paths than the document's answer. */
    private boolean answersOther(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        if (path.startsWith("/status/")) {
            exchange.sendResponseHeaders(Integer.parseInt(path.substring(8)), -1);
        } else if (path.startsWith("/to/")) {
            exchange.getResponseHeaders()
                    .set("Location", new String(path.substring(4).getBytes(UTF_8), UTF_8));
            exchange.sendResponseHeaders(302, -1);
        } else if (path.equals("/short")) {
            exchange.sendResponseHeaders(200, 1000);
            exchange.getResponseBody().write("limits: {}\n".getBytes(UTF_8));
            exchange.getResponseBody().flush();
        } else if (path.equals("/endless")) {
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                for (byte[] chunk = new byte[65536]; ; ) {
                    out.write(chunk);
                }
            }
        } else if (path.equals("/dated.json")) {
            String date = "Wed, 21 Oct 2026 07:28:00 GMT";
            exchange.getResponseHeaders().set("Last-Modified", date);
            boolean known = date.equals(exchange.getRequestHeaders().getFirst("If-Modified-Since"));
            exchange.sendResponseHeaders(known ? 304 : 200, -1);
        } else {
            return false;
        }
        exchange.close();
        return true;
    }

    private void handle(HttpExchange exchange) throws IOException {
        requests.add(Map.copyOf(exchange.getRequestHeaders()));
        queries.add(String.valueOf(exchange.getRequestURI().getRawQuery()));
        if (answersOther(exchange)) {
            return;
        }
        String known = exchange.getRequestHeaders().getFirst("If-None-Match");
        String wait = exchange.getRequestHeaders().getFirst("Prefer");
        byte[] body;
        String tag;
        synchronized (this) {
            if (wait != null && tag().equals(known)) {
                awaitChange(Duration.ofSeconds(Long.parseLong(wait.substring(5))));
            }
            body = content;
            tag = tag();
        }
        if (body == null) {
            exchange.sendResponseHeaders(404, -1);
        } else if (tag.equals(known)) {
            exchange.sendResponseHeaders(304, -1);
        } else {
            exchange.getResponseHeaders().set("ETag", tag);
            exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    private String tag() {
        return "\"" + version + "\"";
    }

    private void awaitChange(Duration most) {
        try {
            wait(most.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            notifyAll();
        }
        server.stop(0);
        threads.shutdownNow();
    }
}
