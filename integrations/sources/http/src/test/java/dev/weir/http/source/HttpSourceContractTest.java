package dev.weir.http.source;

import dev.weir.config.contract.ConfigSourceContract;
import dev.weir.config.contract.TcpProxy;
import dev.weir.config.source.ConfigSource;
import java.io.IOException;
import java.net.URI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

class HttpSourceContractTest extends ConfigSourceContract {
    private DocumentServer server;
    private TcpProxy proxy;

    @BeforeEach
    void startServer() throws IOException {
        server = new DocumentServer();
        proxy = new TcpProxy(server.port());
    }

    @AfterEach
    void stopServer() throws IOException {
        proxy.close();
        server.close();
    }

    HttpSource.Builder builder() {
        String secret = secret();
        String address =
                "http://user:" + secret + "@127.0.0.1:" + proxy.port() + "/limits.yaml?X-Amz-Signature=" + secret;
        return HttpSource.builder(URI.create(address)).header("X-Token", secret);
    }

    @Override
    protected ConfigSource open() {
        return builder().build();
    }

    @Override
    protected void write(byte[] content) {
        server.set(content);
    }

    @Override
    protected void delete() {
        server.set(null);
    }

    @Override
    protected TcpProxy proxy() {
        return proxy;
    }

    @Override
    protected String secret() {
        return "geheim";
    }

    @Override
    protected boolean isNotOfTheSource(Thread thread) {
        return thread.getName().equals("document-server");
    }
}
