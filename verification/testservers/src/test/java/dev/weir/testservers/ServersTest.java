package dev.weir.testservers;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Needs(Server.REDIS)
class ServersTest {
    /** A process that starts a server and then waits for ever. */
    static final class Starter {
        public static void main(String[] arguments) throws Exception {
            RedisServer server = RedisServer.inMemory();
            System.out.println(server.port());
            Thread.currentThread().join();
        }
    }

    private static String redis(int port, String command) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(5_000);
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
            byte[] answer = new byte[100];
            int read = socket.getInputStream().read(answer);
            return new String(answer, 0, read, StandardCharsets.US_ASCII).strip();
        }
    }

    @Test
    void aDurableServerHasItsDataAfterAKill() throws Exception {
        try (RedisServer server = RedisServer.durable()) {
            assertEquals("+OK", redis(server.port(), "SET a 1"));
            server.kill();
            assertThrows(IOException.class, () -> redis(server.port(), "PING"));
            server.start();
            assertEquals("$1\r\n1", redis(server.port(), "GET a"));
            server.pause();
            server.resume();
            assertEquals("+PONG", redis(server.port(), "PING"));
        }
    }

    @Test
    void aServerInMemoryForgets() throws Exception {
        try (RedisServer server = RedisServer.inMemory()) {
            redis(server.port(), "SET a 1");
            server.kill();
            server.start();
            assertEquals("$-1", redis(server.port(), "GET a"));
        }
    }

    @Test
    void aServerDiesWithTheProcessThatStartedItAlsoIfThatIsKilled() throws Exception {
        Process starter = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Starter.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        int port = Integer.parseInt(starter.inputReader().readLine());
        assertEquals("+PONG", redis(port, "PING"));
        starter.destroyForcibly().waitFor();
        await().until(() -> {
            try {
                redis(port, "PING");
                return false;
            } catch (IOException gone) {
                return true;
            }
        });
    }

    @Test
    void aMissingProgramIsNamedWithTheCommandThatGetsIt() {
        IllegalStateException missing = assertThrows(
                IllegalStateException.class, () -> Server.ETCD.command(Stream.of(Path.of("nowhere", "etcd"))));
        assertEquals("etcd is missing: ./weir test gets it", missing.getMessage());
    }

    /** As that of another processor, or without a library that it needs. */
    @Test
    void aProgramThatDoesNotRunIsPassedOver(@TempDir Path folder) throws IOException {
        Path broken = folder.resolve("redis-server");
        Files.writeString(broken, "#!/bin/sh\nexit 127\n");
        Path good = folder.resolve("good");
        Files.writeString(good, "#!/bin/sh\necho v=6.2.11\n");
        assertTrue(broken.toFile().setExecutable(true) && good.toFile().setExecutable(true));
        assertEquals(good.toString(), Server.REDIS.command(Stream.of(broken, good)));
    }

    @Test
    void aServerThatEndsAtOnceIsReportedWithItsLog() {
        IllegalStateException wrong =
                assertThrows(IllegalStateException.class, () -> RedisServer.inMemory("--no-such-setting", "1"));
        assertTrue(wrong.getMessage().contains("no-such-setting"), wrong::getMessage);
        assertFalse(wrong.getMessage().contains("missing"), wrong::getMessage);
    }
}
