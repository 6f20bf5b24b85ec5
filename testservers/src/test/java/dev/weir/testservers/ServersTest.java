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
import java.util.List;
import org.junit.jupiter.api.Test;

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
    void aMissingBinaryIsNamedWithTheCommandThatInstallsIt() {
        try (ServerProcess process = ServerProcess.of(ServerProcess.newDirectory("test"), List.of("no-such-server"))) {
            IllegalStateException missing = assertThrows(IllegalStateException.class, () -> process.start(() -> true));
            assertEquals(
                    "no-such-server is missing: apt-get install -y redis-server etcd-server", missing.getMessage());
        }
    }

    @Test
    void aServerThatEndsAtOnceIsReportedWithItsLog() {
        IllegalStateException wrong =
                assertThrows(IllegalStateException.class, () -> RedisServer.inMemory("--no-such-setting", "1"));
        assertTrue(wrong.getMessage().contains("no-such-setting"), wrong::getMessage);
        assertFalse(wrong.getMessage().contains("missing"), wrong::getMessage);
    }
}
