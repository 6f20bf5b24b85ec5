package dev.weir.nacos;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/** A real Nacos server in a JVM of its own, whose class path stands in a file that the profile {@code nightly} writes. */
final class NacosProcess implements AutoCloseable {
    /** The port of gRPC, by which clients read, is that of HTTP and this. */
    static final int GRPC_OFFSET = 1000;

    /** Of the jars of the server, which somebody else than Nacos publishes. */
    private static final String SHA_256 = "c0ca153735ac8292e9dbb13f2363ce90d660068db25d838dac4aa33e38cc4585";

    private final int port = freePort();
    private final Path home;
    private final String classPath;
    private Process process;

    NacosProcess(Path home, Path classPathFile) throws IOException {
        this.home = home;
        this.classPath = Files.readString(classPathFile).strip();
        Files.createDirectories(home.resolve("conf"));
        Files.write(
                home.resolve("conf/application.properties"),
                List.of(
                        "nacos.server.main.port=" + port,
                        "server.port=" + port,
                        "server.address=127.0.0.1",
                        "nacos.inetutils.ip-address=127.0.0.1",
                        "nacos.core.auth.system.type=nacos",
                        "nacos.core.auth.enabled=false",
                        "nacos.core.auth.admin.enabled=false",
                        "nacos.core.auth.server.identity.key=weir",
                        "nacos.core.auth.server.identity.value=weir",
                        "nacos.core.auth.plugin.nacos.token.secret.key=" + "d2Vp".repeat(12)));
        start();
    }

    int port() {
        return port;
    }

    void start() throws IOException {
        verify();
        Path log = home.resolve("out.log");
        Files.deleteIfExists(log);
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:TieredStopAtLevel=1",
                        "-Dnacos.standalone=true",
                        "-Dnacos.deployment.type=server",
                        "-Dnacos.home=" + home,
                        "-Duser.home=" + home,
                        "-cp",
                        home.resolve("conf") + ":" + classPath,
                        "src/test/server/NacosServer.java")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        await().alias("Nacos, see " + log).atMost(Duration.ofMinutes(5)).until(() -> {
            if (!process.isAlive()) {
                throw new IllegalStateException("Nacos has ended: " + Files.readString(log));
            }
            return Files.readString(log).contains("nacos is up");
        });
    }

    /** Kills the server. What it has stored stays. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void verify() throws IOException {
        String actual = fingerprint();
        if (!actual.equals(SHA_256)) {
            throw new IllegalStateException("the server's jars must have the SHA-256 " + SHA_256 + ", was " + actual);
        }
    }

    private String fingerprint() throws IOException {
        try {
            MessageDigest all = MessageDigest.getInstance("SHA-256");
            for (String jar : Stream.of(classPath.split(":"))
                    .filter(name -> name.contains("pig-mesh"))
                    .sorted()
                    .toList()) {
                all.update(Files.readAllBytes(Path.of(jar)));
            }
            return HexFormat.of().formatHex(all.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /* The server also listens on the ports 1000 and 1001 above, and 1000 below. */
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(12_000, 30_000);
            if (isFree(port) && isFree(port + GRPC_OFFSET) && isFree(port + GRPC_OFFSET + 1) && isFree(port - 1000)) {
                return port;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
            return socket.isBound();
        } catch (IOException inUse) {
            return false;
        }
    }
}
