package dev.weir.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A call of an {@link EdgeContract} to a server on this machine. */
public final class HttpCall implements EdgeContract.Call {
    private static final int PART = 1024;
    private static final int HTTP1_SECONDS = 120;

    /* A client whose connection is closed by another call may wait for ever. */
    private static final int HTTP2_SECONDS = 20;

    private interface Reset {
        void now() throws IOException;
    }

    private final CompletableFuture<InputStream> answer;
    private final Reset reset;
    private long read;

    private HttpCall(CompletableFuture<InputStream> answer, Reset reset) {
        this.answer = answer;
        this.reset = reset;
    }

    /** A GET by HTTP/1.1 on a connection of its own, which {@link #abort} resets. */
    public static HttpCall http1(int port, String path) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        try {
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(HTTP1_SECONDS));
            String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new HttpCall(CompletableFuture.completedFuture(socket.getInputStream()), () -> {
                if (!socket.isClosed()) {
                    socket.setSoLinger(true, 0);
                    socket.close();
                }
            });
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** A GET by HTTP/2 without TLS, of which {@link #abort} resets the stream. Without an answer it fails after 20 seconds. */
    public static HttpCall http2(HttpClient client, int port, String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .version(HttpClient.Version.HTTP_2)
                .timeout(Duration.ofSeconds(HTTP2_SECONDS))
                .build();
        CompletableFuture<HttpResponse<InputStream>> sent =
                client.sendAsync(request, HttpResponse.BodyHandlers.ofInputStream());
        return new HttpCall(sent.thenApply(HttpResponse::body), () -> {
            if (!sent.cancel(true) && !sent.isCompletedExceptionally()) {
                sent.join().body().close();
            }
        });
    }

    /** {@inheritDoc} An answer that breaks off has ended, also one of which nothing comes for two minutes. */
    @Override
    public void read(int parts) throws Exception {
        Thread reader = Thread.currentThread();
        CompletableFuture<Void> tooLong = CompletableFuture.runAsync(
                reader::interrupt, CompletableFuture.delayedExecutor(HTTP1_SECONDS, TimeUnit.SECONDS));
        try {
            readWhile(parts);
        } finally {
            tooLong.cancel(false);
        }
    }

    /* Where another call has closed the connection, the client of the JDK may wait for the rest of a body for ever; an interrupt
    ends that with an exception. */
    private void readWhile(int parts) throws Exception {
        try {
            InputStream body = parts == 0 ? InputStream.nullInputStream() : answer.get(HTTP1_SECONDS, TimeUnit.SECONDS);
            byte[] part = new byte[PART];
            while (read < (long) parts * PART) {
                int length = body.read(part);
                if (length < 0) {
                    body.close(); // also the connection by HTTP/1.1
                    return;
                }
                read += length;
            }
        } catch (SocketTimeoutException | TimeoutException e) {
            throw new AssertionError("no end within " + HTTP1_SECONDS + " s", e);
        } catch (IOException | ExecutionException e) {
            abort();
        }
    }

    @Override
    public void abort() throws IOException {
        reset.now();
    }
}
