package dev.weir.apollo;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.ctrip.framework.apollo.core.dto.ApolloConfig;
import com.ctrip.framework.apollo.core.dto.ApolloConfigNotification;
import com.google.gson.Gson;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * A local server that speaks the documented protocol of Apollo's config service: releases of namespaces with their keys, and
 * notifications that are held until there is a release. It holds them for less than the 60 seconds of a real one.
 */
final class ApolloServer implements AutoCloseable {
    private static final long HOLD_MILLIS = 200;
    private static final String NOTIFICATIONS = "/notifications/v2";

    private record Release(long id, Map<String, String> configurations) {}

    private final Gson json = new Gson();
    private final Map<String, Release> releases = new HashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> new Thread(work, "apollo-server"));
    private final HttpServer server;
    private long lastId;

    ApolloServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    synchronized void release(String namespace, Map<String, String> configurations) {
        releases.put(normal(namespace), new Release(++lastId, Map.copyOf(configurations)));
        notifyAll();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private static String normal(String namespace) {
        return namespace.endsWith(".properties")
                ? namespace.substring(0, namespace.length() - ".properties".length())
                : namespace;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            URI uri = exchange.getRequestURI();
            Map<String, String> query = query(uri);
            if (uri.getPath().equals(NOTIFICATIONS)) {
                List<ApolloConfigNotification> changed =
                        changed(json.fromJson(query.get("notifications"), ApolloConfigNotification[].class));
                answer(exchange, changed.isEmpty() ? 304 : 200, changed);
                return;
            }
            String[] path = uri.getPath().split("/");
            Release release = path[1].equals("configs") ? release(path[4]) : null;
            if (release == null) {
                answer(exchange, 404, Map.of());
            } else if (("" + release.id()).equals(query.get("releaseKey"))) {
                answer(exchange, 304, Map.of());
            } else {
                ApolloConfig config = new ApolloConfig(path[2], path[3], path[4], "" + release.id());
                config.setConfigurations(release.configurations());
                answer(exchange, 200, config);
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized @Nullable Release release(String namespace) {
        return releases.get(normal(namespace));
    }

    private synchronized List<ApolloConfigNotification> changed(ApolloConfigNotification[] known)
            throws InterruptedException {
        List<ApolloConfigNotification> changed = changedNow(known);
        if (changed.isEmpty()) {
            wait(HOLD_MILLIS);
            changed = changedNow(known);
        }
        return changed;
    }

    private List<ApolloConfigNotification> changedNow(ApolloConfigNotification[] known) {
        List<ApolloConfigNotification> changed = new ArrayList<>();
        for (ApolloConfigNotification one : known) {
            Release release = release(one.getNamespaceName());
            if (release != null && release.id() != one.getNotificationId()) {
                changed.add(new ApolloConfigNotification(normal(one.getNamespaceName()), release.id()));
            }
        }
        return changed;
    }

    private void answer(HttpExchange exchange, int status, Object body) throws IOException {
        byte[] bytes = json.toJson(body).getBytes(UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json;charset=UTF-8");
        exchange.sendResponseHeaders(status, status == 304 ? -1 : bytes.length);
        if (status != 304) {
            exchange.getResponseBody().write(bytes);
        }
    }

    private static Map<String, String> query(URI uri) {
        Map<String, String> query = new HashMap<>();
        String raw = uri.getRawQuery();
        for (String pair : raw == null ? new String[0] : raw.split("&")) {
            int at = pair.indexOf('=');
            query.put(pair.substring(0, at), URLDecoder.decode(pair.substring(at + 1), UTF_8));
        }
        return query;
    }
}
