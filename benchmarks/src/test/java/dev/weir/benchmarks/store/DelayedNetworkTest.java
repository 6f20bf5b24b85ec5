package dev.weir.benchmarks.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The bytes that go through the relay. */
@Tag("real-time")
class DelayedNetworkTest {
    private static final int BYTES = 1 << 20;
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    @Test
    void allBytesArriveInOrderBothWaysAndThenTheEnd() throws Exception {
        byte[] sent = new byte[BYTES];
        new Random(1).nextBytes(sent);
        try (ServerSocket echo = new ServerSocket(0, 1, HERE);
                DelayedNetwork network = DelayedNetwork.to(echo.getLocalPort(), 1_000_000);
                Socket client = new Socket(HERE, network.port())) {
            CompletableFuture<Void> server = CompletableFuture.runAsync(() -> echo(echo));
            CompletableFuture<byte[]> answer = CompletableFuture.supplyAsync(() -> read(client));
            client.getOutputStream().write(sent);
            assertArrayEquals(sent, answer.join());
            server.join();
            assertEquals(-1, client.getInputStream().read());
        }
    }

    private static byte[] read(Socket from) {
        try {
            return from.getInputStream().readNBytes(BYTES);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /* Then it closes. */
    private static void echo(ServerSocket listening) {
        try (Socket accepted = listening.accept()) {
            accepted.getOutputStream().write(accepted.getInputStream().readNBytes(BYTES));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
