// Written by Fixtures/made-elsewhere, and never by hand.

extension MadeElsewhere {
    static let forms = #"""
        [{"name":"form-der-p-256","title":"from DER, on P-256","proves":["KEY-22"],"clause":null,"given":{"curve":"\#
        P-256","der":"3046022100c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd50221008a9c5dd0ea7b\#
        806a8f3a976ebd7638f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"form-raw-p-256","title":"to DER, on P-256","proves":["KEY-22"],"clause":null,"given":{"curve":"P-\#
        256","raw":"c026933109f62f876aae8388f33a424b5dacedd2f6f611ee2515bcc90fca0bd58a9c5dd0ea7b806a8f3a976ebd7638\#
        f2c9a4ba3c3d8b42c82adfc52a32fe49bf"}},
        {"name":"form-der-p-384","title":"from DER, on P-384","proves":["KEY-22"],"clause":null,"given":{"curve":"\#
        P-384","der":"3065023100c6770d0ecf7a70226fd3430275d4c4b5c73a2e5f0ccff055f70fc981fe6a7dc18bcda2070a11ff1d63\#
        8b70564b3c202a0230360d7355a4b0942599d169bb48e4953ba78e1d949b9d619d9407486796d601a86ccec9fba5456fbbfaf6b37d\#
        96ad2f9f"}},
        {"name":"form-raw-p-384","title":"to DER, on P-384","proves":["KEY-22"],"clause":null,"given":{"curve":"P-\#
        384","raw":"c6770d0ecf7a70226fd3430275d4c4b5c73a2e5f0ccff055f70fc981fe6a7dc18bcda2070a11ff1d638b70564b3c20\#
        2a360d7355a4b0942599d169bb48e4953ba78e1d949b9d619d9407486796d601a86ccec9fba5456fbbfaf6b37d96ad2f9f"}},
        {"name":"form-der-p-521","title":"from DER, on P-521","proves":["KEY-22"],"clause":null,"given":{"curve":"\#
        P-521","der":"308188024200972f90a64f274f7123e06085a786fa8d3d17f8564152d10d710d8734ce3e90637a391d69d80b9ac3\#
        f40a2ce9c6dd05593da7809e513e37008cd173fc92f83978900242017842a099083315685ba4667e39032937d0931ea7a473be6f6f\#
        bd3064b5b5e3d65dbfa275c980c62bea5ecaad7260ba9b954ca69699d45b76db93fd07032b401993"}},
        {"name":"form-raw-p-521","title":"to DER, on P-521","proves":["KEY-22"],"clause":null,"given":{"curve":"P-\#
        521","raw":"00972f90a64f274f7123e06085a786fa8d3d17f8564152d10d710d8734ce3e90637a391d69d80b9ac3f40a2ce9c6dd\#
        05593da7809e513e37008cd173fc92f8397890017842a099083315685ba4667e39032937d0931ea7a473be6f6fbd3064b5b5e3d65d\#
        bfa275c980c62bea5ecaad7260ba9b954ca69699d45b76db93fd07032b401993"}},
        {"name":"form-small","title":"from DER, of small numbers","proves":["KEY-22"],"clause":null,"given":{"curv\#
        e":"P-256","der":"300702010102020080"}},
        {"name":"form-high","title":"from DER, of numbers with their highest bit","proves":["KEY-22"],"clause":nul\#
        l,"given":{"curve":"P-256","der":"304602210080000000000000000000000000000000000000000000000000000000000000\#
        010221008000000000000000000000000000000000000000000000000000000000000001"}},
        {"name":"form-small-raw","title":"to DER, of small numbers","proves":["KEY-22"],"clause":null,"given":{"cu\#
        rve":"P-256","raw":"00000000000000000000000000000000000000000000000000000000000000010000000000000000000000\#
        000000000000000000000000000000000000000080"}},
        {"name":"form-negative","title":"from DER, with a negative number","proves":["KEY-22"],"clause":"KEY-22","\#
        given":{"curve":"P-256","der":"30060201ff020101"}},
        {"name":"form-zeros","title":"from DER, with a zero in front of a number","proves":["KEY-22"],"clause":"KE\#
        Y-22","given":{"curve":"P-256","der":"300702020001020101"}},
        {"name":"form-empty-number","title":"from DER, with a number of no bytes","proves":["KEY-22"],"clause":"KE\#
        Y-22","given":{"curve":"P-256","der":"30050200020101"}},
        {"name":"form-zero","title":"from DER, with an r of zero","proves":["KEY-22"],"clause":"KEY-22","given":{"\#
        curve":"P-256","der":"3006020100020101"}},
        {"name":"form-zero-s","title":"from DER, with an s of zero","proves":["KEY-22"],"clause":"KEY-22","given":\#
        {"curve":"P-256","der":"3006020101020100"}},
        {"name":"form-long","title":"from DER, with a number that the curve has no room for","proves":["KEY-22"],"\#
        clause":"KEY-22","given":{"curve":"P-256","der":"302602210100000000000000000000000000000000000000000000000\#
        00000000000000000020101"}},
        {"name":"form-one","title":"from DER, of one number","proves":["KEY-22"],"clause":"KEY-22","given":{"curve\#
        ":"P-256","der":"3003020101"}},
        {"name":"form-three","title":"from DER, of three numbers","proves":["KEY-22"],"clause":"KEY-22","given":{"\#
        curve":"P-256","der":"3009020101020101020101"}},
        {"name":"form-extended","title":"from DER, with a byte behind it","proves":["KEY-22"],"clause":"KEY-22","g\#
        iven":{"curve":"P-256","der":"300602010102010100"}},
        {"name":"form-long-length","title":"from DER, whose length has more bytes than it needs","proves":["KEY-22\#
        "],"clause":"KEY-22","given":{"curve":"P-256","der":"308106020101020101"}},
        {"name":"form-raw-as-der","title":"from DER, that is R and S","proves":["KEY-22"],"clause":"KEY-22","given\#
        ":{"curve":"P-256","der":"00000000000000000000000000000000000000000000000000000000000000300000000000000000\#
        000000000000000000000000000000000000000000000001"}},
        {"name":"form-cut","title":"to DER, without the last byte","proves":["KEY-22"],"clause":"RFC7518-3.4","giv\#
        en":{"curve":"P-256","raw":"000000000000000000000000000000000000000000000000000000000000000100000000000000\#
        000000000000000000000000000000000000000000000000"}},
        {"name":"form-zero-raw","title":"to DER, with an r of zero","proves":["KEY-22"],"clause":"KEY-22","given":\#
        {"curve":"P-256","raw":"0000000000000000000000000000000000000000000000000000000000000000000000000000000000\#
        0000000000000000000000000000000000000000000002"}}]
        """#
}
