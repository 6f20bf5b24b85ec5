package dev.weir.consul;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One key, served in the form that Consul documents: its HTTP API v1, "KV store" and "Blocking queries". It is no Consul. */
final class KeyServer implements AutoCloseable {
    static final String TOKEN = "geheim";

    private static final Pattern BLOCKING = Pattern.compile("index=(\\d+)&wait=(\\d+)s");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "key-server");
        thread.setDaemon(true);
        return thread;
    });
    private byte[] value;
    private long modified;
    private long index = 10;

    /** What is told instead of the index; null for the index. */
    volatile String toldIndex;

    /** What is answered instead of the key; null for the key. */
    volatile String answer;

    final List<String> requests = new CopyOnWriteArrayList<>();

    KeyServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 50);
        server.createContext("/v1/kv/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    synchronized void set(byte[] value) {
        this.value = value;
        modified = ++index;
        notifyAll();
    }

    /** As of a server that was restored from an older state. */
    synchronized void restore(byte[] value, long index) {
        this.value = value;
        this.modified = index;
        this.index = index;
        notifyAll();
    }

    private void handle(HttpExchange exchange) throws IOException {
        requests.add(exchange.getRequestURI().toString());
        if (!TOKEN.equals(exchange.getRequestHeaders().getFirst("X-Consul-Token"))) {
            exchange.sendResponseHeaders(403, -1);
            exchange.close();
            return;
        }
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        Matcher blocking = BLOCKING.matcher(query);
        String body;
        synchronized (this) {
            if (blocking.matches() && Long.parseLong(blocking.group(1)) == index) {
                await(Long.parseLong(blocking.group(2)));
            }
            exchange.getResponseHeaders().set("X-Consul-Index", toldIndex == null ? "" + index : toldIndex);
            body = value == null ? null : body();
        }
        if (body == null) {
            exchange.sendResponseHeaders(404, -1);
        } else {
            byte[] bytes = (answer == null ? body : answer).getBytes(UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
        exchange.close();
    }

    private String body() {
        String shown = value.length == 0 ? "null" : "\"" + Base64.getEncoder().encodeToString(value) + "\"";
        return "[{\"LockIndex\": 0, \"Key\": \"limits.yaml\", \"Flags\": 0, \"Value\": " + shown
                + ", \"CreateIndex\": 10," + " \"ModifyIndex\": " + modified + "}]";
    }

    private void await(long seconds) {
        try {
            wait(1000 * seconds);
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
