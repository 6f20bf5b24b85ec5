package dev.weir.testservers;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** An {@code etcd} of one member on free ports of 127.0.0.1. Thread-safe; the methods block until the server has done it. */
public final class EtcdServer implements AutoCloseable {
    private final int port;
    private final ServerProcess process;

    private EtcdServer() {
        port = ServerProcess.freePort();
        Path directory = ServerProcess.newDirectory("etcd");
        String peers = "http://127.0.0.1:" + ServerProcess.freePort();
        process = ServerProcess.of(
                directory,
                List.of(
                        Server.ETCD.command(),
                        "--name=weir",
                        "--unsafe-no-fsync",
                        "--data-dir=" + directory.resolve("data"),
                        "--listen-client-urls=" + uri(),
                        "--advertise-client-urls=" + uri(),
                        "--listen-peer-urls=" + peers,
                        "--initial-advertise-peer-urls=" + peers,
                        "--initial-cluster=weir=" + peers));
    }

    /** A running server. It has after {@link #kill} and {@link #start} what it answered for before. */
    public static EtcdServer started() {
        EtcdServer server = new EtcdServer();
        return server.process.started(server, server::isReady);
    }

    /** The port for clients. It stays the same when the server is started again. */
    public int port() {
        return port;
    }

    /** {@code http://127.0.0.1:PORT}. */
    public String uri() {
        return "http://127.0.0.1:" + port;
    }

    /** Starts it again after {@link #kill}. */
    public void start() {
        process.start(this::isReady);
    }

    /** Ends it with SIGKILL. */
    public void kill() {
        process.kill();
    }

    /** Ends it with SIGKILL and removes its data. */
    public void erase() {
        process.erase();
    }

    /** Halts it with SIGSTOP: connections stay open and nothing answers. */
    public void pause() {
        process.signal("STOP");
    }

    /** Continues it after {@link #pause}. */
    public void resume() {
        process.signal("CONT");
    }

    /** Ends it and removes its data. */
    @Override
    public void close() {
        process.close();
    }

    private boolean isReady() {
        try {
            HttpURLConnection connection = (HttpURLConnection) new URL(uri() + "/health").openConnection();
            connection.setConnectTimeout(1_000);
            connection.setReadTimeout(1_000);
            try {
                String answer = new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                return answer.contains("true");
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            return false;
        }
    }
}
