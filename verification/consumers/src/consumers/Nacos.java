package consumers;

import com.alibaba.nacos.api.NacosFactory;
import com.alibaba.nacos.api.config.ConfigService;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.nacos.NacosSource;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.ConfigEvent;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Nacos's client without a server: the source is reported as lost, and the default of the code decides and is changed. */
public final class Nacos {
    private Nacos() {}

    public static void main(String[] args) throws Exception {
        Properties properties = new Properties();
        properties.setProperty("serverAddr", "127.0.0.1:1");
        ConfigService service = NacosFactory.createConfigService(properties);
        BlockingQueue<ConfigEvent> events = new LinkedBlockingQueue<>();
        try (LimiterRegistry registry = LimiterRegistry.builder()
                .source(NacosSource.of(service, args[0] + ".yaml", "weir"))
                .onEvent(events::add)
                .build()) {
            Check.expect(true, events.poll(20, TimeUnit.SECONDS) instanceof ConfigEvent.SourceLost);
            NamedLimiter orders = registry.limiter("orders", new Semaphore(2));
            Check.expect(2, Check.granted(orders::tryAcquire));
            registry.limiter("orders", new Semaphore(3));
            Check.expect(3, Check.granted(orders::tryAcquire));
        } finally {
            service.shutDown();
        }
    }
}
