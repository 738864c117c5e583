import PureCrypto
import Wire
