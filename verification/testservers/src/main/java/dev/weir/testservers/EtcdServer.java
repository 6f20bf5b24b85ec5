package dev.weir.testservers;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** An {@code etcd} of one member on free ports of 127.0.0.1. Thread-safe; the methods block until the server has done it. */
public final class EtcdServer extends ProgramServer {
    private EtcdServer(int port, Path directory, String peers) {
        super(
                port,
                ServerProcess.of(
                        directory,
                        List.of(
                                Server.ETCD.command(),
                                "--name=weir",
                                "--unsafe-no-fsync",
                                "--data-dir=" + directory.resolve("data"),
                                "--listen-client-urls=" + uri(port),
                                "--advertise-client-urls=" + uri(port),
                                "--listen-peer-urls=" + peers,
                                "--initial-advertise-peer-urls=" + peers,
                                "--initial-cluster=weir=" + peers)));
    }

    /** A running server. It has after {@link #kill} and {@link #start} what it answered for before. */
    public static EtcdServer started() {
        int port = ServerProcess.freePort();
        return started(new EtcdServer(port, ServerProcess.newDirectory("etcd"), uri(ServerProcess.freePort())));
    }

    /** {@code http://127.0.0.1:PORT}. */
    public String uri() {
        return uri(port());
    }

    private static String uri(int port) {
        return "http://127.0.0.1:" + port;
    }

    /** Ends it with SIGKILL and removes its data. */
    public void erase() {
        process().erase();
    }

    @Override
    boolean isReady() {
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
